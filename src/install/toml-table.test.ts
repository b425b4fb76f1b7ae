import fc from 'fast-check'
import { expect, test } from 'vitest'
import { InstallError } from './install-error.ts'
import { findTable, putTable, takeTable } from './toml-table.ts'

const NAME = 'mcp_servers.contextmd'
const LINES = ['url = "http://127.0.0.1:4517/contextmd/mcp?harness=grok"']
const TABLE = `[${NAME}]\n${LINES[0]}\n`

const FILES = [
  '',
  '# only a comment',
  'model = "x"\n',
  'model = "x"\n\n[mcp_servers.other]\nurl = "http://127.0.0.1:1"\n',
  '# [mcp_servers.contextmd]\n[a]\ntext = """\n[mcp_servers.contextmd]\nquote """"\n[b]\n',
  "[a]\ntext = '''\n[mcp_servers.contextmd]\n'''\nlist = [\n  [1],\n  [\"[mcp_servers.contextmd]\"]\n]\n",
  '[a]\r\nx = 1\r\n',
]

test.each(FILES)('%j: put in and taken out again, every byte is as it was, but for a missing line break at the end', (text) => {
  const put = putTable(text, 'config.toml', NAME, LINES)
  expect(put.startsWith(text)).toBe(true)
  expect(put.endsWith(TABLE)).toBe(true)
  // a second time changes nothing
  expect(putTable(put, 'config.toml', NAME, LINES)).toBe(put)
  expect(takeTable(put, NAME)).toBe(text === '' || text.endsWith('\n') ? text : `${text}\n`)
})

test('between other tables: what is changed is ours alone, keys and tables that a person has added stay', () => {
  const text = `[a]\nx = 1\n\n[${NAME}]\nurl = "old"\n# slow machine\nstartup_timeout_sec = 9\n\n[${NAME}.tools.read_entry]\napproval_mode = "approve"\n\n[b]\ny = 2\n`
  const put = putTable(text, 'config.toml', NAME, [...LINES, 'enabled = true'])
  expect(put).toBe(text.replace('url = "old"', `enabled = true\n${LINES[0]}`))
  expect(takeTable(put, NAME)).toBe('[a]\nx = 1\n\n[b]\ny = 2\n')
})

test.each([`[ mcp_servers . "contextmd" ]\nurl = "x"\n`, `[mcp_servers.contextmd] # ours\nurl = "x"\n`])('%j is found', (text) => {
  expect(findTable(text, NAME)).toMatchObject({ start: 0, end: text.length })
})

test('S10: a list of servers on one line, and a file that is broken, are not added to', () => {
  expect(() => putTable('text = """\nno end\n', 'config.toml', NAME, LINES)).toThrow(InstallError)
  expect(() => putTable('mcp_servers = { a = { url = "x" } }\n', 'config.toml', NAME, LINES)).toThrow(InstallError)
})

/** A file that ends within a text is refused. */
function putOrText(text: string): string {
  try {
    return putTable(text, 'config.toml', NAME, LINES)
  } catch (error) {
    if (error instanceof InstallError) return text
    throw error
  }
}

test('whatever stands in the file: nothing hangs, and taking out what was put in gives the text back', () => {
  const parts = fc.constantFrom('[a]', '[[b]]', '"', "'", '"""', "'''", '\\', '#', '\n', ' = ', '[', ']', '{', '}', 'x', '\r\n')
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 30 }), (all) => {
      const text = `${all.join('')}\n`
      const put = putOrText(text)
      expect(put.startsWith(text)).toBe(true)
      expect(takeTable(put, NAME)).toBe(text)
    }),
  )
})
