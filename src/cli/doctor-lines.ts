/** Findings as a person reads them: by subject, each with its cure below. */
import type { HarnessFacts } from '../doctor/facts.ts'
import type { Finding, Level } from '../doctor/finding.ts'

export interface Diagnosis {
  readonly harnesses: readonly {
    readonly facts: HarnessFacts
    /** The home of a host's instance of it; null: the person's own. */
    readonly instance: string | null
    readonly findings: readonly Finding[]
  }[]
  readonly server: readonly Finding[]
}

export function allFindings({ harnesses, server }: Diagnosis): readonly Finding[] {
  return [...harnesses.flatMap(({ findings }) => findings), ...server]
}

export function diagnosisLines(diagnosis: Diagnosis): readonly string[] {
  return [
    ...diagnosis.harnesses.flatMap(({ facts, instance, findings }) => [
      instance === null ? facts.profile.title : `${facts.profile.title}, instance in ${instance}`,
      ...findings.flatMap(findingLines),
      '',
    ]),
    'Server and machine',
    ...diagnosis.server.flatMap(findingLines),
    '',
    verdict(allFindings(diagnosis)),
  ]
}

const MARKS: Readonly<Record<Level, string>> = { ok: 'ok  ', note: 'note', warn: 'WARN', bad: 'BAD ' }

function findingLines({ level, id, what, cure }: Finding): readonly string[] {
  return [`  ${MARKS[level]} ${id}: ${what}`, ...(cure === '' || level === 'ok' ? [] : [`         ${cure}`])]
}

function verdict(findings: readonly Finding[]): string {
  const count = (level: Level): number => findings.filter((finding) => finding.level === level).length
  const bad = count('bad')
  const warn = count('warn')
  if (bad + warn === 0) return 'All is well.'
  const fixable = findings.filter(({ fix, level }) => fix !== undefined && level !== 'ok' && level !== 'note').length
  const hint = fixable === 0 ? '' : ` "contextmd doctor --fix" mends ${fixable} of them.`
  return `${bad} bad, ${warn} to look at.${hint}`
}
