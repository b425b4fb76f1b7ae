/**
 * How a read of an entry by our own tool for agents looks: its result names the entry's file in its first lines.
 *
 * The server writes it, a harness's records hold it, and who reads them takes it for a read of that file (law 12): a line of the file
 * must stand in the result all the same.
 */

/** The tool's name, on whatever name the person gave the MCP server. */
export const READ_ENTRY = 'read_entry'

const FILE = /^Entry: .*\nFile: (\/.*)$/m
/** The file is named in the first lines; harnesses may put a line or two of their own before them. */
const HEAD_CHARS = 4_096

export function entryHead(id: string, title: string, file: string): string {
  return `Entry: ${id} (${oneLine(title)})\nFile: ${file}`
}

/** Absolute path of the file that a result of the tool names; null if it names none. */
export function fileOfEntryRead(result: string): string | null {
  return FILE.exec(result.slice(0, HEAD_CHARS))?.[1] ?? null
}

/** By any name that a harness has for it: `mcp:SERVER/read_entry`, `mcp__SERVER__read_entry`, `SERVER_read_entry`. */
export function isEntryRead(tool: string): boolean {
  return /[/_]read_entry$/.test(tool)
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}
