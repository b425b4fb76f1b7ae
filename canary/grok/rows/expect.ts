/** What rows look at: requests of the model, and files that a call would have made. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { must } from '../../row.ts'
import type { Stage } from '../stage.ts'
import { countOf, freshResults } from '../request.ts'
import type { ModelRequest } from '../request.ts'
import { shell } from '../reply.ts'
import type { Call } from '../reply.ts'

/** How the program words a deny of a hook (docs/harnesses/grok.md). */
const DENIED = /^Hook denied: /

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

/** Every call of the model's last reply was denied by a hook, `count` of them. */
export function mustBeDenied(request: ModelRequest, count = 1): void {
  const results = freshResults(request)
  const denied = results.filter((result) => DENIED.test(result.text))
  must(
    denied.length === count && results.length === count,
    `request ${request.number} should hold ${count} denied calls and no other; results: ${results.map((result) => short(result.text)).join(' | ')}`,
  )
}

/** How the result of a command that failed begins, and that of any other tool. */
const FAILED = /^(?:exit: (?!0\b)|Error: )/

/** No call of the model's last reply was denied or failed. */
export function mustBeAllowed(request: ModelRequest, count = 1): void {
  const results = freshResults(request)
  must(
    results.length === count && results.every(({ text }) => !DENIED.test(text) && !FAILED.test(text)),
    `request ${request.number} should hold ${count} good results; results: ${results.map((result) => short(result.text)).join(' | ')}`,
  )
}

/** A call that leaves a trace on the disk, so that it can't run unseen. */
export function touch(name: string): Call {
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
