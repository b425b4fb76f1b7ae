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
