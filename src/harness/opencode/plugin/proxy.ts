/** Calls to the loopback address, past any proxy. */

/** The loopback address goes through no proxy. */
export const NO_PROXY = { NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' }

/**
 * Makes a call with these variables in the environment, and puts it back before anything else runs. The program's runtime (Bun 1.3.14)
 * asks the proxy of the environment for the loopback address too, by `fetch` and by `node:http`, and has no option against it.
 */
export function beside<T>(variables: Readonly<Record<string, string>>, call: () => T): T {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, variables)
  try {
    return call()
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}
