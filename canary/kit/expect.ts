/** What rows look at: requests of the model, and files that a call would have made. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { must } from '../row.ts'
import type { Block } from './reply.ts'
import { countOf, freshResults } from './request.ts'
import type { ModelRequest, ToolResult } from './request.ts'
import type { Stage } from './stage.ts'

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

/** Every call of the model's last reply was denied by a hook, `count` of them. `at`: a request, or its number among those of the main agent. */
export function mustBeDenied(stage: Stage, at: number | ModelRequest, count = 1): void {
  const request = typeof at === 'number' ? nth(stage, at) : at
  const results = freshResults(request)
  must(
    results.length === count && results.every((result) => stage.rig.isDenied(result)),
    `request ${request.number} should hold ${count} denied calls and no other; results: ${told(results)}`,
  )
}

/** No call of the model's last reply was denied or failed. */
export function mustBeAllowed(stage: Stage, at: number | ModelRequest, count = 1): void {
  const request = typeof at === 'number' ? nth(stage, at) : at
  const results = freshResults(request)
  must(
    results.length === count && results.every((result) => stage.rig.isGood(result)),
    `request ${request.number} should hold ${count} good results; results: ${told(results)}`,
  )
}

/** A call that leaves a trace on the disk, so that it can't run unseen. */
export function touch(stage: Stage, name: string): Block {
  return stage.rig.tools.shell(`touch ${name}`)
}

export function mustHaveRun(stage: Stage, ...names: readonly string[]): void {
  for (const name of names) must(existsSync(join(stage.place.project, name)), `touch ${name} should have run`)
}

export function mustNotHaveRun(stage: Stage, ...names: readonly string[]): void {
  for (const name of names) must(!existsSync(join(stage.place.project, name)), `touch ${name} should not have run`)
}

/** Marks a reason that Grok Build clipped (X3). */
const CLIPPED = /… \[\+\d+ chars\]/

/** The file that a deny names: the entry's own, a file to read, or a note. */
export function namedFile(stage: Stage, request: ModelRequest): string {
  const text = request.fresh.map((part) => part.text).join('\n')
  must(!CLIPPED.test(text), `the reason should be whole: ${text}`)
  const path = text.split(/[\s`"'()<>]+/).find((word) => word.startsWith(stage.place.root) && /\.(md|txt)[.,;:]?$/.test(word))
  must(path !== undefined, `the deny should name a file to read: ${text.slice(0, 300)}`)
  return path.replace(/[.,;:]$/, '')
}

function told(results: readonly ToolResult[]): string {
  return results.map((result) => short(result.text)).join(' | ') || 'none'
}

function short(text: string): string {
  return text.length > 160 ? `${text.slice(0, 160)}…` : text
}
