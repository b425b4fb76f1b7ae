import { describe, expect, test } from 'vitest'
import type { PathUse } from '../core/moment.ts'
import { compile } from './compile.ts'
import type { Subject } from './match.ts'
import { pathsIn } from './paths-in.ts'
import { beforeTool, entry, HOME, ROOT } from './subject.fixture.ts'

const uses = (path: string, access: PathUse['access'] = 'write', real = path): Subject =>
  beforeTool({
    paths: [{ path: path.startsWith('/') ? path : `${ROOT}/${path}`, real: real.startsWith('/') ? real : `${ROOT}/${real}`, access }],
  })

const matches = (path: readonly string[], at: Subject, access?: readonly ('read' | 'write')[], ignorePathCase = false) =>
  compile([entry({ when: [{ path, ...(access && { access }) }] })], { ignorePathCase }).match(at).candidates.length === 1

describe('globs', () => {
  test.each<[string, string, boolean]>([
    ['src/a.ts', 'src/a.ts', true],
    ['./src/a.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/b/a.ts', false],
    ['src/**', 'src/b/a.ts', true],
    ['src/**', 'src', true],
    ['src/**', 'srcs/a.ts', false],
    ['src/', 'src/b/a.ts', true],
    ['src', 'src/a.ts', false],
    ['**/*.ts', 'a.ts', true],
    ['**/*.ts', 'x/y/a.ts', true],
    ['**', 'x/y', true],
    ['*', 'x/y', false],
    ['*', 'x', true],
    ['*.md', 'docs/a.md', false],
    ['**/docs/**', 'docs/a.md', true],
    ['src/**/index.ts', 'src/index.ts', true],
    ['src/**/index.ts', 'src/a/b/index.ts', true],
    ['**/.env*', '.env.local', true],
    ['**', '.github/workflows/ci.yml', true],
    ['*', '.env', true],
    ['src/?.ts', 'src/a.ts', true],
    ['src/?.ts', 'src/ab.ts', false],
    ['src/[ab].ts', 'src/b.ts', true],
    ['src/[!ab].ts', 'src/b.ts', false],
    ['src/[a-c].ts', 'src/c.ts', true],
    ['src/*.{ts,tsx}', 'src/a.tsx', true],
    ['{src,test}/**', 'test/a', true],
    ['src/v{1..3}/**', 'src/v2/a', true],
    ['src/@(a|b).ts', 'src/b.ts', true],
    ['src/+(ab).ts', 'src/abab.ts', true],
    ['app/(auth)/page.tsx', 'app/(auth)/page.tsx', true],
    ['app/\\[id\\]/page.tsx', 'app/[id]/page.tsx', true],
    ['src/a+b.ts', 'src/a+b.ts', true],
    ['src/$x.ts', 'src/$x.ts', true],
    ['/home/dev/app/src/**', 'src/a.ts', true],
    ['/home/dev/app/src/**', '/home/dev/app/src/a.ts', true],
    ['/etc/**', '/etc/hosts', true],
    ['etc/**', '/etc/hosts', false],
    ['~/notes/**', '/home/dev/notes/a.md', true],
    ['~/notes/**', '/home/other/notes/a.md', false],
    ['~/app/src/*', 'src/a.ts', true],
    ['../other/**', '/home/dev/other/a', false],
    ['**/*.ts', '/home/dev/other/a.ts', false],
    ['src/größe/**', 'src/größe/a', true],
    ['[', '[', true],
    ['a{b', 'a{b', true],
  ])('%s on %s', (glob, path, expected) => expect(matches([glob], uses(path))).toBe(expected))

  test.each<[readonly string[], string, boolean]>([
    [['src/**', 'test/**'], 'test/a', true],
    [['src/**, test/**'], 'test/a', true],
    [['"src/**", "test/**"'], 'test/a', true],
    [["'src/**'"], 'src/a', true],
    [['[src/**, test/**]'], 'test/a', true],
    [['src/*.{ts,tsx}, x'], 'src/a.ts', true],
    [['src/**', '!src/gen/**'], 'src/gen/a', false],
    [['!src/gen/**', 'src/**'], 'src/gen/a', false],
    [['src/**', '!src/gen/**'], 'src/a', true],
    [['!src/gen/**'], 'docs/a', true],
    [['!src/gen/**'], 'src/gen/a', false],
    [['src/**, !src/gen/**'], 'src/gen/a', false],
  ])('M5: lists, commas, quotes, negation: %j on %s', (globs, path, expected) => expect(matches(globs, uses(path))).toBe(expected))

  test('upper and lower case as the file system has it', () => {
    expect(matches(['SRC/**'], uses('src/a.ts'))).toBe(false)
    expect(matches(['SRC/**'], uses('src/a.ts'), undefined, true)).toBe(true)
  })
  test('by its resolved path too', () => {
    expect(matches(['src/**'], uses('link/a.ts', 'write', 'src/a.ts'))).toBe(true)
    expect(matches(['link/**'], uses('link/a.ts', 'write', 'src/a.ts'))).toBe(true)
  })
  test('in any checkout of the project', () => {
    const project = { root: ROOT, roots: ['/home/dev/app-feature', ROOT], remotes: [] }
    expect(matches(['src/**'], { ...uses('/home/dev/app-feature/src/a.ts'), project })).toBe(true)
  })
  test('where the root itself is a symlink', () => {
    const real = (path: string) => path.replace('/home/dev/app', '/mnt/app')
    expect(matches(['src/**'], { ...uses('/mnt/app/src/a.ts'), real })).toBe(true)
  })
})

describe('access', () => {
  test.each<[PathUse['access'], readonly ('read' | 'write')[], boolean]>([
    ['read', ['read'], true],
    ['read', ['write'], false],
    ['write', ['write'], true],
    ['unknown', ['write'], false],
    ['unknown', ['read'], false],
    ['unknown', ['read', 'write'], true],
  ])('%s for %j', (seen, wanted, expected) => expect(matches(['src/**'], uses('src/a', seen), wanted)).toBe(expected))

  test('M5: a new file that is about to be written counts', () => {
    expect(matches(['src/**'], uses('src/new.ts', 'write'), ['write'])).toBe(true)
    expect(matches(['src/**'], beforeTool({ command: "cat > src/new.ts <<'EOF'\nx\nEOF" }), ['write'])).toBe(true)
  })
  test('without a path', () => {
    const at = compile([entry({ when: [{ access: ['write'], tool: ['shell'] }] })])
    expect(at.match(beforeTool({ command: 'touch x' })).candidates).toHaveLength(1)
    expect(at.match(beforeTool({ command: 'cat x' })).candidates).toHaveLength(0)
  })
})

const named = (command: string) =>
  pathsIn(command, ROOT, { home: HOME })
    .map(({ access, path }) => `${access} ${path.startsWith(`${ROOT}/`) ? path.slice(ROOT.length + 1) : path}`)
    .toSorted()

test.each<[string, readonly string[]]>([
  ['cat src/a.ts', ['read src/a.ts']],
  ['cat src/a.ts src/b.ts', ['read src/a.ts', 'read src/b.ts']],
  ['sed -n 1,5p src/a.ts', ['read src/a.ts']],
  ['sed -i s/a/b/ src/a.ts', ['write src/a.ts']],
  ["sed -i '' -e s/a/b/ src/a.ts", ['write src/a.ts']],
  ['grep -rn foo/bar src', ['read src']],
  ['grep -e a -e b src/a.ts', ['read src/a.ts']],
  ['rg foo src test', ['read src', 'read test']],
  ['echo x > src/a.ts', ['write src/a.ts']],
  ['echo src/a.ts', []],
  ['printf x >> src/a.ts', ['write src/a.ts']],
  ['ls 2> err.log', ['write err.log']],
  ['ls > /dev/null 2>&1', []],
  ['ls &> all.log', ['write all.log']],
  ['wc -l < src/a.ts', ['read src/a.ts']],
  ['tee src/a.ts src/b.ts < in', ['read in', 'write src/a.ts', 'write src/b.ts']],
  ['rm -rf src/gen', ['write src/gen']],
  ['rm -rf src/*.js', ['write src/*.js']],
  ['touch src/{a,b}.ts', ['write src/a.ts', 'write src/b.ts']],
  ['mkdir -p src/new', ['write src/new']],
  ['mkdir -m 755 src/new', ['write src/new']],
  ['cp a.ts src/b.ts', ['read a.ts', 'write src/b.ts']],
  ['cp a.ts b.ts -t src', ['read a.ts', 'read b.ts', 'write src']],
  ['mv a.ts src/b.ts', ['write a.ts', 'write src/b.ts']],
  ['ln -s a b', ['read a', 'write b']],
  ['chmod +x run.sh', ['write run.sh']],
  ['dd if=a.img of=b.img', ['read a.img', 'write b.img']],
  ['cd src && rm a.ts', ['write src/a.ts']],
  ['cd src; touch a.ts', ['write src/a.ts']],
  ['(cd src); touch a.ts', ['write a.ts']],
  ['cd $X && touch a.ts', []],
  ['cd $X && touch /etc/a', ['write /etc/a']],
  ['cat ~/x', ['read /home/dev/x']],
  ['cat ~root/x', []],
  ['cat $FILE', []],
  ['cat $HOME/x', ['read /home/dev/x']],
  ['node src/a.js', ['unknown src/a.js']],
  ['./scripts/run.sh', ['unknown scripts/run.sh']],
  ['python tool.py --out=build/x.txt', ['unknown build/x.txt', 'unknown tool.py']],
  ['npx prettier --write src/a.ts', ['write src/a.ts']],
  ['eslint --fix src/a.ts', ['write src/a.ts']],
  ['eslint src/a.ts', ['unknown src/a.ts']],
  ['npm install @types/node', []],
  ['curl https://example.org/a.ts', []],
  ['git commit -m "fix src/a.ts"', []],
  ['git commit -m src/a.ts', []],
  ['git push origin feature/a.ts', []],
  ['git checkout -- src/a.ts', ['write src/a.ts']],
  ['git restore src/a.ts', ['write src/a.ts']],
  ['git diff src/a.ts', ['read src/a.ts']],
  ['git -C sub diff src/a.ts', ['read sub/src/a.ts']],
  ['git add Makefile', ['unknown Makefile']],
  ['git rm old.ts', ['write old.ts']],
  ['git commit -m x -- src/a.ts', ['unknown src/a.ts']],
  ['gh pr create --title "src/a.ts" --body docs/x.md', []],
  ['sudo rm /etc/x', ['write /etc/x']],
  ['bash -c "rm src/a.ts"', ['write src/a.ts']],
  ['find src -name "*.ts" -exec rm {} +', ['read src', 'write {}']],
  ["cat > src/a.ts <<'EOF'\nrm src/b.ts\nEOF", ['write src/a.ts']],
  ['{ cat a; } > out.txt', ['read a', 'write out.txt']],
  ['for f in a b; do rm src/x; done', ['write src/x']],
  ['[ -f src/a.ts ] && echo yes', []],
  ['vim src/a.ts', ['unknown src/a.ts']],
  ['tsc -p tsconfig.json', ['unknown tsconfig.json']],
  ['', []],
])('paths in %s', (command, expected) => expect(named(command)).toEqual(expected))
