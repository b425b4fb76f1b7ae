/** Which of two versions is the newer one, by the rules of semver.org as far as our own versions need them. */

/** True if `version` comes after `than`. What is no version comes before all that are. */
export function isNewer(version: string, than: string): boolean {
  const [ours, theirs] = [partsOf(version), partsOf(than)]
  if (ours === null || theirs === null) return ours !== null
  for (let at = 0; at < 3; at += 1) {
    const difference = (ours.numbers[at] ?? 0) - (theirs.numbers[at] ?? 0)
    if (difference !== 0) return difference > 0
  }
  // a version comes after its own previews
  if (ours.preview === null || theirs.preview === null) return ours.preview === null && theirs.preview !== null
  return ours.preview.localeCompare(theirs.preview, 'en', { numeric: true }) > 0
}

function partsOf(version: string): { readonly numbers: readonly number[]; readonly preview: string | null } | null {
  const found = /^(\d+)\.(\d+)\.(\d+)(?:-([\w.-]+))?(?:\+.*)?$/.exec(version)
  if (found === null) return null
  return { numbers: found.slice(1, 4).map(Number), preview: found[4] ?? null }
}
