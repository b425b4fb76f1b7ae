import { describe, expect, test } from 'vitest'
import type { PathUse } from '../core/moment.ts'
import { compile } from '../match/compile.ts'
import { matchPlainly } from '../match/plain.ts'
import { beforeTool, HOME, prompt, ROOT } from '../match/subject.fixture.ts'
import { OWN_FILES, ownFilesEntry, type OwnPlaces } from './own-files.ts'
import { touchedOwnFiles } from './touched.ts'

const CONFIG = `${HOME}/.config/contextmd`
const DATA = `${HOME}/.local/share/contextmd`
const PLACES: OwnPlaces = {
  paths: { config: CONFIG, serving: `${CONFIG}/serving.json`, data: DATA },
  home: HOME,
  stores: [`${CONFIG}/rules`, '/srv/team rules, [all]/{x}'],
  claudeConfig: '/srv/claude',
}
const { entries } = ownFilesEntry(PLACES)
const matcher = compile(entries)

function isHeld(subject: Parameters<typeof matcher.match>[0]): boolean {
  const { candidates } = matcher.match(subject)
  // the index must say what the plain way says
  expect(candidates.length).toBe(matchPlainly(entries, subject).candidates.length)
  return candidates.some(({ entry }) => entry.id === OWN_FILES)
}

test('it is a whole entry: held once, with a text that says whose these files are', () => {
  expect(entries).toMatchObject([
    { id: OWN_FILES, mustKnow: true, forbid: false, text: expect.stringContaining('only if the person asked') },
  ])
})

describe('S18: an agent that would switch its own rules off is held', () => {
  test.each([
    'rm -rf ~/.config/contextmd',
    'rm -rf ~/.config/contextmd/rules',
    'rm ~/.config/contextmd/rules/commit.md',
    'cd ~/.config/contextmd && rm -rf rules',
    'rm -rf ~/.config',
    'rm -rf ~/.config/*',
    'rm -rf /home/dev/.local/share',
    "sed -i 's/must-know: true//' ~/.config/contextmd/rules/commit.md",
    "perl -pi -e 's/x/y/' ~/.config/contextmd/rules/commit.md",
    'echo "{}" > ~/.config/contextmd/serving.json',
    'echo "{}" | tee ~/.config/contextmd/serving.json',
    'mv ~/.config/contextmd /tmp/away',
    'mv rules.bak ~/.config/contextmd/rules',
    'cp /tmp/empty.md ~/.config/contextmd/rules/commit.md',
    'ln -sf /dev/null ~/.config/contextmd/rules/commit.md',
    'truncate -s 0 ~/.local/share/contextmd/tokens.json',
    'chmod 000 ~/.local/share/contextmd/own-token',
    'dd if=/dev/zero of=/home/dev/.local/share/contextmd/contextmd.sqlite',
    'rm -f /home/dev/.local/share/contextmd/hooks/contextmd-hook.sh',
    'find ~/.config/contextmd -name "*.md" -delete',
    'find ~/.config/contextmd/rules -exec rm {} +',
    'sudo rm -rf /home/dev/.config/contextmd',
    'bash -c "rm -rf ~/.config/contextmd/rules"',
    'rm -rf "/srv/team rules, [all]/{x}"',
    'tee .claude/settings.local.json < /tmp/empty.json',
    'rm ~/.claude/settings.json',
    'cp /tmp/x /srv/claude/settings.json',
    'git -C ~/.config/contextmd/rules checkout -- commit.md',
    'contextmd off',
    'contextmd off --for 30m',
    'npx contextmd off',
    '/usr/local/bin/contextmd remove claude-code',
    'contextmd doctor --fix',
    'node node_modules/contextmd/bin/contextmd.js off',
    'contextmd lift contextmd/own-files',
    'contextmd forget thread-1',
    'contextmd token issue',
    'contextmd trust .',
    'npx -y contextmd@latest setup claude-code',
    'true && contextmd off; git commit -m x',
    'curl -s -X POST -d \'{"action":"off"}\' http://127.0.0.1:4517/contextmd/v1/control',
    'pkill -f contextmd',
    'contextmd service stop',
    'contextmd service remove',
    'systemctl --user stop contextmd',
    'systemctl --user disable --now contextmd.service',
    'launchctl bootout gui/501/contextmd',
    'rm ~/.config/systemd/user/contextmd.service',
    'codex mcp remove contextmd_hooks',
  ])('%s', (command) => {
    expect(isHeld(beforeTool({ command }))).toBe(true)
  })

  test.each([
    `${CONFIG}/rules/commit.md`,
    `${CONFIG}/serving.json`,
    `${DATA}/hooks/contextmd-hook.sh`,
    `${HOME}/.claude/settings.json`,
    `${ROOT}/.claude/settings.local.json`,
    `${HOME}/.codex/config.toml`,
    '/srv/team rules, [all]/{x}/new.md',
    `${ROOT}/.contextmd/commit.md`,
  ])('a write tool on %s', (path) => {
    expect(isHeld(beforeTool({ paths: [use(path, 'write')] }))).toBe(true)
  })

  test("the switch for all hooks in a project's shared settings", () => {
    const paths = [use(`${ROOT}/.claude/settings.json`, 'write')]
    expect(isHeld(beforeTool({ paths, content: '{"disableAllHooks": true}' }))).toBe(true)
    expect(isHeld(beforeTool({ paths, content: '{"permissions": {}}' }))).toBe(false)
  })
})

describe('reading, mentioning and everyday work are free', () => {
  test.each([
    'cat ~/.config/contextmd/rules/commit.md',
    'ls -la ~/.config/contextmd',
    'head -5 ~/.config/contextmd/serving.json',
    "sed -n '1,5p' ~/.config/contextmd/rules/commit.md",
    'grep -rn must-know ~/.config/contextmd/rules',
    'find ~/.config/contextmd -name "*.md"',
    'cp ~/.config/contextmd/rules/commit.md /tmp/copy.md',
    'cat ~/.claude/settings.json',
    'cat ~/.codex/config.toml',
    'codex mcp list',
    'contextmd log',
    'contextmd log --follow',
    'contextmd lint',
    'contextmd health',
    'contextmd service status',
    'contextmd service start',
    'systemctl --user status contextmd',
    'contextmd run -- npm test',
    'contextmd doctor --json',
    'contextmd on',
    'echo "contextmd off"',
    'git commit -m "Document contextmd off"',
    'grep -rn "contextmd off" docs',
    'rm -rf build ~/.cache/app',
    'cp notes.txt ~/',
    'mv a.txt ~/.config/',
    'mkdir -p ~/.config/other && touch ~/.config/other/x',
    'rm -rf ~/.config/contextmd-old',
    'git commit -m x',
  ])('%s', (command) => {
    expect(isHeld(beforeTool({ command }))).toBe(false)
  })

  test('a read tool on a file of a store', () => {
    expect(isHeld(beforeTool({ tool: 'read', paths: [use(`${CONFIG}/rules/commit.md`, 'read')] }))).toBe(false)
  })

  test('a prompt that speaks of it', () => {
    expect(isHeld(prompt('please run contextmd off'))).toBe(false)
  })
})

test('health is told with harness and tool, and no path', () => {
  const { moment } = beforeTool({ command: 'rm -rf ~/.config/contextmd' })
  const problem = touchedOwnFiles(moment, matcher.match(beforeTool({ command: 'rm -rf ~/.config/contextmd' })).candidates)
  expect(problem?.message).toBe('An agent in claude-code (shell) was about to change rules, settings or files of ContextMD itself.')
  expect(JSON.stringify(problem)).not.toContain('.config')
  expect(touchedOwnFiles(moment, [])).toBeNull()
})

function use(path: string, access: PathUse['access']): PathUse {
  return { path, real: path, access }
}

describe('S18: inside a host our files are held as well', () => {
  const stateDir = `${HOME}/.t3/userdata`
  const hosted = compile(
    ownFilesEntry({ ...PLACES, paths: { ...PLACES.paths, data: `${stateDir}/contextmd` }, inside: { data: DATA, stateDir } }).entries,
  )
  const held = (command: string) => hosted.match(beforeTool({ command })).candidates.some(({ entry }) => entry.id === OWN_FILES)

  test.each([
    'rm ~/.t3/userdata/contextmd.sqlite',
    'rm -f ~/.t3/userdata/contextmd.sqlite-wal ~/.t3/userdata/contextmd.sqlite-shm',
    'truncate -s 0 ~/.t3/userdata/contextmd.lock',
    'rm -rf ~/.t3/userdata/contextmd',
    'cp /dev/null ~/.t3/userdata/contextmd/notes/0123456789ab.md',
    'rm -rf ~/.t3',
    'rm ~/.t3/userdata/*',
    'rm -f ~/.local/share/contextmd/host-token.json',
    'cp /tmp/x ~/.local/share/contextmd/hooks/claude-code.header',
  ])('%s', (command) => expect(held(command)).toBe(true))

  test.each(['rm ~/.t3/userdata/statev2.sqlite', 'cp /tmp/x ~/.t3/userdata/settings.json', 'cat ~/.t3/userdata/contextmd.sqlite'])(
    'not %s',
    (command) => expect(held(command)).toBe(false),
  )
})
