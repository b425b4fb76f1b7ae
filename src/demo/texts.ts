/** The same JSON value with every text in it changed. */
export function mapTexts<T>(value: T, change: (text: string) => string): T {
  const map = (each: unknown): unknown => {
    if (typeof each === 'string') return change(each)
    if (Array.isArray(each)) return each.map(map)
    if (typeof each !== 'object' || each === null) return each
    return Object.fromEntries(Object.entries(each).map(([key, member]) => [key, map(member)]))
  }
  // texts stay texts, and nothing else is changed
  return map(value) as T
}
