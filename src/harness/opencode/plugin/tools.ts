/** Which tools are of which MCP server. A tool's name alone can't tell: `SERVER_TOOL` may be a plugin's tool as well. */
export class Tools {
  #servers: readonly { readonly name: string; readonly prefix: string }[] = []
  /** Built-in tools and those of plugins: the program describes them to plugins at each step, never those of MCP servers. */
  readonly #described = new Set<string>()

  /** Names of the MCP servers in the settings. The program writes other characters as `_`. */
  servers(names: readonly string[]): void {
    const prefixes = names.map((name) => ({ name, prefix: `${name.replace(/[^a-zA-Z0-9_-]/g, '_')}_` }))
    this.#servers = prefixes.toSorted((a, b) => b.prefix.length - a.prefix.length)
  }

  described(tool: string): void {
    this.#described.add(tool)
  }

  serverOf(tool: string): string | null {
    if (this.#described.has(tool)) return null
    return this.#servers.find(({ prefix }) => tool.startsWith(prefix))?.name ?? null
  }
}
