/** What rows look at: requests of the model, and files that a call would have made. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { must } from '../../row.ts'
import { shell } from '../reply.ts'
import type { Block } from '../reply.ts'
import { countOf, freshResults } from '../request.ts'
import type { ModelRequest } from '../request.ts'
import type { Stage } from '../stage.ts'

/** The program adds nothing to what a plugin throws: a deny of ours is known by its first words. */
const DENIED = /^(?:Not a failure: rule "|Rule "[^"]*" forbids this)/

/** The n-th request of the main agent, from 0. */
export function nth(stage: Stage, index: number): ModelRequest {
  const request = stage.main()[index]
  must(request !== undefined, `the model should have been asked at least ${index + 1} times; it was ${stage.main().length}`)
  return request
}

/** The text stands whole in the request, and once. */
export function mustSee(request: ModelRequest, text: string): void {
  const count = countOf(request, text)
  must(count === 1, `request ${request.number} should hold "${short(text)}" once; it holds it ${count} times`)
}

export function mustNotSee(request: ModelRequest, text: string): void {
  const count = countOf(request, text)
  must(count === 0, `request ${request.number} should not hold "${short(text)}"; it holds it ${count} times`)
}

/** Every call of the model's last reply was denied by our plugin, `count` of them. */
export function mustBeDenied(request: ModelRequest, count = 1): void {
  const results = freshResults(request)
  must(
    results.length === count && results.every(({ text }) => DENIED.test(text)),
    `request ${request.number} should hold ${count} denied calls and no other; results: ${results.map(({ text }) => short(text)).join(' | ')}`,
  )
}

/** No call of the model's last reply was denied. */
export function mustBeAllowed(request: ModelRequest, count = 1): void {
  const results = freshResults(request)
  must(
    results.length === count && results.every(({ text }) => !DENIED.test(text)),
    `request ${request.number} should hold ${count} results of calls that ran; results: ${results.map(({ text }) => short(text)).join(' | ')}`,
  )
}

/** A call that leaves a trace on the disk, so that it can't run unseen. */
export function touch(name: string): Block {
  return shell(`touch ${name}`)
}

export function mustHaveRun(stage: Stage, ...names: readonly string[]): void {
  for (const name of names) must(existsSync(join(stage.place.project, name)), `touch ${name} should have run`)
}

export function mustNotHaveRun(stage: Stage, ...names: readonly string[]): void {
  for (const name of names) must(!existsSync(join(stage.place.project, name)), `touch ${name} should not have run`)
}

function short(text: string): string {
  return text.length > 160 ? `${text.slice(0, 160)}…` : text
}
