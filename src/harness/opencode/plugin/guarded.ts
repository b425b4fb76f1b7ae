/** A hook that never throws: whatever goes wrong here, the agent works on. */
export function guarded<A extends unknown[], R>(hook: (...args: A) => Promise<R>): (...args: A) => Promise<R | void> {
  return async (...args) => {
    try {
      return await hook(...args)
    } catch {
      // nothing to be done about it here; the server's log shows that the moment is missing
    }
  }
}
