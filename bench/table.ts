/** Tables for people: the first column to the left, numbers to the right. */

export type Cell = string | number

export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [head, ...rows.map((row) => row.map(String))]
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const text = (line: readonly string[]): string =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('   ')
      .trimEnd()
  return [text(head), widths.map((width) => '─'.repeat(width)).join('───'), ...lines.slice(1).map(text)]
    .map((line) => `  ${line}`)
    .join('\n')
}

/** Milliseconds, with as many places as tell something. */
export function ms(value: number): string {
  if (value >= 100) return value.toFixed(0)
  return value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

export function times(ratio: number): string {
  return `${ratio.toFixed(ratio >= 10 ? 0 : 2)} ×`
}

export function count(value: number): string {
  return value.toLocaleString('en-US')
}
