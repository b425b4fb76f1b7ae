// TEMPORARY stand-in by the lead until the matcher arrives: overwrite freely.
import picomatch from 'picomatch'
import type { Entry, TriggerItem } from '../core/entry.ts'
import type { Matcher, Subject } from './match.ts'

export function compile(entries: readonly Entry[]): Matcher {
  return {
    match(subject) {
      const candidates = entries.flatMap((entry) => {
        const item = entry.when.findIndex((one) => matches(one, subject))
        return item === -1 ? [] : [{ entry, item }]
      })
      return { candidates, notAnalysed: null }
    },
  }
}

function matches(item: TriggerItem, subject: Subject): boolean {
  const { moment } = subject
  if (item.session !== undefined) return item.session.some((one) => subject.sessionTriggers.includes(one))
  if (item.prompt !== undefined) return moment.kind === 'prompt' && !moment.machineMade && item.prompt.some((p) => moment.text.toLowerCase().includes(p.toLowerCase()))
  const isAfter = item.output !== undefined || item.failed !== undefined
  if (moment.kind !== (isAfter ? 'after-tool' : 'before-tool')) return false
  const { call } = moment
  if (item.command !== undefined && !item.command.some((c) => ` ${call.command ?? ''}`.includes(` ${c}`))) return false
  if (item.tool !== undefined && !item.tool.includes(call.tool) && !item.tool.includes(call.harnessTool)) return false
  if (item.path !== undefined) {
    const isMatch = picomatch([...item.path], { dot: true })
    const uses = call.paths.filter((use) => item.access === undefined || use.access === 'unknown' || item.access.includes(use.access))
    if (!uses.some((use) => isMatch(use.path.replace(`${subject.project.root}/`, '')) || isMatch(use.path))) return false
  }
  if (moment.kind === 'after-tool') {
    if (item.failed === true && moment.result.state !== 'failed' && !/exit=[1-9]/.test(moment.result.output)) return false
    if (item.output !== undefined && !item.output.some((o) => moment.result.output.includes(o))) return false
  }
  return true
}
