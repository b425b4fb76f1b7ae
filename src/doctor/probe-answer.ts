/** What a hook gave, read as strictly as a harness reads it. */
import { isRecord } from '../install/hook.ts'
import type { ProbeOutcome } from './facts.ts'

/** `text`: all that was printed or answered. One JSON object, or the whole answer is void (S12). */
export function readAnswer(text: string, expected: string, ms: number): ProbeOutcome {
  if (text.trim() === '') return { state: 'silent' }
  const output = outputIn(text)
  if (output === null) return { state: 'garbled' }
  return output === expected ? { state: 'answered', ms } : { state: 'misunderstood', text: output.slice(0, MOST_CHARS) }
}

const MOST_CHARS = 200

function outputIn(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text)
    const output = isRecord(value) ? value['hookSpecificOutput'] : null
    const context = isRecord(output) ? output['additionalContext'] : null
    return typeof context === 'string' ? context : null
  } catch {
    return null
  }
}
