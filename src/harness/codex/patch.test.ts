import { describe, expect, test } from 'vitest'
import { patchIn, patchInShell } from './patch.ts'

const PATCH =
  '*** Begin Patch\n*** Update File: src/a b.ts\n*** Move to: src/c.ts\n@@\n-old\n+new\n*** Add File: ./d.ts\n+one\n+two\n*** End Patch'

describe('a patch', () => {
  test('files with what happens to them, and the text that is added', () => {
    expect(patchIn(PATCH)).toEqual({
      files: [
        { path: 'src/a b.ts', change: 'update' },
        { path: 'src/c.ts', change: 'moved-to' },
        { path: './d.ts', change: 'add' },
      ],
      added: 'new\none\ntwo',
    })
  })

  test('line ends of Windows, a text around it, and none at all', () => {
    expect(patchIn(`Here:\n${PATCH.replaceAll('\n', '\r\n')}`)?.files).toHaveLength(3)
    expect(patchIn('*** Update File: a')).toBeNull()
    expect(patchIn('*** Begin Patch\n*** Update File:\n+++ x')).toEqual({ files: [], added: '++ x' })
  })
})

describe('a patch in a shell line', () => {
  test.each([
    [`apply_patch <<'EOF'\n${PATCH}\nEOF`, null],
    [`applypatch <<"PATCH"\n${PATCH}\nPATCH\n`, null],
    [`  cd sub/dir && apply_patch <<EOF\n${PATCH}\nEOF`, 'sub/dir'],
    [`cd 'two words' && apply_patch <<'EOF'\n${PATCH}\nEOF`, 'two words'],
  ])('%s', (command, folder) => {
    expect(patchInShell(command)).toMatchObject({ folder, patch: { added: 'new\none\ntwo' } })
  })

  test.each([
    `cat > notes.md <<'EOF'\napply_patch <<'X'\n${PATCH}\nEOF`,
    `grep -n "*** Begin Patch" log.txt`,
    `echo apply_patch <<'EOF'\n${PATCH}\nEOF`,
    `cd $DIR && apply_patch <<'EOF'\n${PATCH}\nEOF`,
    'apply_patch <<EOF\nno patch\nEOF',
  ])('M1: a mention is not a use: %s', (command) => {
    expect(patchInShell(command)).toBeNull()
  })
})
