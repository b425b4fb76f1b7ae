/** Memory with a limit, and waiting with a limit: a plugin lives as long as its program. */

/** Sets a value as the newest and forgets the oldest beyond the limit. */
export function remember<K, V>(map: Map<K, V>, key: K, value: V, limit: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= limit) return
  for (const oldest of map.keys()) {
    map.delete(oldest)
    return
  }
}

/** The result, or null when it takes longer or fails. */
export async function within<T>(work: Promise<T>, ms: number): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, Math.max(ms, 0), null)
  })
  try {
    return await Promise.race([work, late])
  } catch {
    return null
  } finally {
    clearTimeout(timer)
  }
}
