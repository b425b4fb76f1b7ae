import { describe, expect, test } from 'vitest'
import { compile } from './compile.ts'
import { afterTool, beforeTool, entry, prompt } from './subject.fixture.ts'
import { TEXT_END } from './text.ts'

const asks = (pattern: string, text: string) =>
  compile([entry({ when: [{ prompt: [pattern] }] })]).match(prompt(text)).candidates.length === 1

test.each<[string, string, boolean]>([
  ['deploy', 'Please deploy it', true],
  ['deploy', 'DEPLOY!', true],
  ['Deploy', 'deploy', true],
  ['deploy', 'redeploy', false],
  ['deploy', 'deployment', false],
  ['deploy', 'deploy_now', false],
  ['deploy', 'deploy-now', true],
  ['deploy', '(deploy)', true],
  ['deploy', 'deployed? deploy.', true],
  ['release notes', 'the Release\n  Notes of', true],
  ['release notes', 'release the notes', false],
  ['release  notes', 'release notes', true],
  ['--force', 'use --force now', true],
  ['--force', 'x--force', true],
  ['C++', 'in C++ code', true],
  ['.env', 'the .env file', true],
  ['größe', 'Die GRÖSSE', false],
  ['größe', 'Die GRÖßE', true],
  ['café', 'un cafe\u0301 noir', true],
  ['cafe', 'un café', false],
  ['cafe\u0301', 'un café', true],
  ['ΣΟΦΟΣ', 'ο σοφός', false],
  ['σοφος', 'ΣΟΦΟΣ', true],
  ['部署', '请部署到生产环境', true],
  ['デプロイ', 'すぐデプロイして', true],
  ['тест', 'запусти тесты', false],
  ['тест', 'запусти ТЕСТ', true],
  ['go', 'let us go', true],
  ['go', 'gopher', false],
  ['a', 'a', true],
  ['🚀', 'ship 🚀 it', true],
  ['𝒳', 'x𝒳y', false],
  ['/deploy(ment)?/', 'the deployment', true],
  ['/Deploy/', 'deploy', false],
  ['/Deploy/i', 'deploy', true],
  ['/^deploy/', 'please\ndeploy', false],
  ['/^deploy/m', 'please\ndeploy', true],
  ['/a.b/', 'a\nb', false],
  ['/a.b/s', 'a\nb', true],
  ['/\\bpush\\b/', 'git push now', true],
  ['/\\d{3}/', 'in 404 ways', true],
  ['/\\p{Greek}+/', 'λόγος', true],
  ['/foo|ba[rz]/', 'baz', true],
  ['/(/', '(', false],
  ['/(?=a)a/', 'a', false],
  ['/usr/local/bin', 'look in /usr/local/bin now', true],
  ['', 'anything', false],
])('%s in %j', (pattern, text, expected) => expect(asks(pattern, text)).toBe(expected))

describe('long texts', () => {
  const has = (output: string, pattern = 'needle') =>
    compile([entry({ when: [{ output: [pattern] }] })]).match(afterTool({ command: 'x' }, { output }))
  const hay = (length: number) => 'hay '.repeat(length / 4)
  test('the head and the tail are matched', () => {
    expect(has(`needle ${hay(4 * TEXT_END)}`).candidates).toHaveLength(1)
    expect(has(`${hay(4 * TEXT_END)} needle`).candidates).toHaveLength(1)
  })
  test('the middle is not, and that is said', () => {
    const found = has(`${hay(2 * TEXT_END)} needle ${hay(2 * TEXT_END)}`)
    expect(found.candidates).toHaveLength(0)
    expect(found.notAnalysed).toBe('the middle of a long text was not looked at')
  })
  test('up to twice the limit all of it is', () => {
    expect(has(`${hay(TEXT_END)}needle ${hay(TEXT_END - 8)}`)).toMatchObject({ candidates: [{ item: 0 }], notAnalysed: null })
  })
  test('nothing is found across the gap', () => {
    const found = has(`${'x '.repeat(TEXT_END / 2 - 2)}one ${hay(TEXT_END)}two ${'x '.repeat(TEXT_END / 2 - 2)}`, '/one\\s+two/')
    expect(found.candidates).toHaveLength(0)
  })
  test('it is said only where some entry asks', () => {
    const other = compile([entry({ when: [{ prompt: ['x'] }, { tool: ['shell'] }] })])
    expect(other.match(afterTool({ command: 'x' }, { output: hay(4 * TEXT_END) })).notAnalysed).toBeNull()
  })
})

test('text about to be written', () => {
  const at = compile([entry({ when: [{ content: ['console.log', '/TODO\\b/'] }] })])
  expect(at.match(beforeTool({ content: 'a; console.log("x")' })).candidates).toHaveLength(1)
  expect(at.match(beforeTool({ content: '// TODO: x' })).candidates).toHaveLength(1)
  expect(at.match(beforeTool({ content: 'a' })).candidates).toHaveLength(0)
  expect(at.match(beforeTool({})).candidates).toHaveLength(0)
})
