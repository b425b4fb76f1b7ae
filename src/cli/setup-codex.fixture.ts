/**
 * A stand-in for the `codex` program in tests of its setup: as much of its app-server as setup asks for, by the facts of
 * docs/harnesses/codex.md. What it is told to trust stands in `trusted.json` in its home, the
 * servers that it is told of in `config.toml` (as JSON).
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const SCRIPT = `
const fs = require('fs'), path = require('path'), crypto = require('crypto')
const home = process.env.CODEX_HOME || path.join(process.env.HOME, '.codex')
const trusted = path.join(home, 'trusted.json')
const servers = path.join(home, 'config.toml')
const read = (file) => { try { return JSON.parse(fs.readFileSync(file, 'utf8')) } catch { return {} } }
function hooks(folder) {
  const files = [path.join(home, 'hooks.json'), path.join(folder, '.codex', 'hooks.json')]
  const states = read(trusted)
  return files.flatMap((file) => Object.entries(read(file).hooks || {}).flatMap(([event, groups]) => groups.flatMap((group, g) => group.hooks.map((hook, h) => {
    const key = [file, event, g, h].join(':')
    const currentHash = 'sha256:' + crypto.createHash('sha256').update(JSON.stringify(hook)).digest('hex')
    const state = states[key]
    const trustStatus = !state ? 'untrusted' : state.trusted_hash === currentHash ? 'trusted' : 'modified'
    return { key, command: hook.command, server: hook.server, tool: hook.tool, sourcePath: file, currentHash, trustStatus, enabled: state ? state.enabled : true }
  }))))
}
function answer({ method, params }) {
  if (process.env.STAND_IN_FAILS === method) throw { code: -32600, message: 'no' }
  if (method === 'hooks/list') return { data: params.cwds.map((cwd) => ({ cwd, hooks: hooks(cwd) })) }
  if (method === 'config/read') return { config: { hooks: { state: read(trusted) }, mcp_servers: read(servers) } }
  if (method !== 'config/batchWrite') return {}
  const states = read(trusted)
  for (const { keyPath, value } of params.edits) {
    if (keyPath.startsWith('mcp_servers.')) {
      const { [keyPath.slice('mcp_servers.'.length)]: _, ...others } = read(servers)
      const all = value === null ? others : { ...others, [keyPath.slice('mcp_servers.'.length)]: value }
      fs.mkdirSync(home, { recursive: true })
      if (Object.keys(all).length === 0) fs.rmSync(servers, { force: true })
      else fs.writeFileSync(servers, JSON.stringify(all))
      return {}
    }
    if (keyPath === 'hooks.state' && value === null) { fs.rmSync(trusted, { force: true }); return {} }
    if (keyPath === 'hooks.state') Object.assign(states, value)
    else delete states[JSON.parse(keyPath.slice('hooks.state.'.length))]
  }
  fs.mkdirSync(home, { recursive: true })
  fs.writeFileSync(trusted, JSON.stringify(states))
  return {}
}
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line)
  if (message.id === undefined) return
  let reply
  try { reply = { result: answer(message) } } catch (error) { reply = { error } }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...reply }) + '\\n')
})
`

/** Puts the program there and gives its path. */
export function standIn(path: string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `#!${process.execPath}\n${SCRIPT}`)
  chmodSync(path, 0o755)
  return path
}
