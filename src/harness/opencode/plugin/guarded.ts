/** Makes hooks that never throw, and do nothing unless `isCurrent`: whatever goes wrong here, the agent works on. */
export function guardedWhile(isCurrent: () => boolean) {
  return <A extends unknown[], R>(hook: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R | void> => {
      try {
        if (isCurrent()) return await hook(...args)
      } catch {
        // nothing to be done about it here; the server's log shows that the moment is missing
      }
    }
}
