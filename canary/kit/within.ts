/** A limit on how long something may take. */
export const TIMED_OUT = Symbol('timed out')

export async function within<T>(promise: Promise<T>, ms: number): Promise<T | typeof TIMED_OUT> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<typeof TIMED_OUT>((resolve) => (timer = setTimeout(resolve, ms, TIMED_OUT)))
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** The fields of a value that may be anything; none where it is no object. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  // Checked: an object, and its fields are looked at one by one.
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
