/**
 * The unit file of systemd for one user (Linux).
 *
 * Facts: systemd.unit(5), systemd.service(5), systemd.exec(5) of systemd 252; `systemd-analyze --user verify` is run over it in the tests.
 */
import { join } from 'node:path'
import { MARK, type Installed, type ServiceWish } from './wish.ts'

export const UNIT = 'contextmd.service'

export function unitFile(env: NodeJS.ProcessEnv, home: string): string {
  return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'systemd', 'user', UNIT)
}

/**
 * Of the sandbox options only those that need no namespace: a manager of a user often may not make one, and then nothing would start.
 * Memory that is written and run can't be forbidden to a JavaScript engine, nor any folder: sessions and projects may be anywhere.
 */
export function unitText({ program, args, environment }: ServiceWish): string {
  const command = [program.node, program.launcher, ...args].map((word) => quoted(word)).join(' ')
  return `# ${MARK}
[Unit]
Description=ContextMD: serves rules to coding agents
# A port in use, or a state of another server, does not go away by trying on and on.
StartLimitIntervalSec=300
StartLimitBurst=10

[Service]
Type=exec
ExecStart=${command}
${Object.entries(environment)
  .map(([name, value]) => `Environment=${quoted(`${name}=${value}`, 'environment')}\n`)
  .join('')}Restart=on-failure
RestartSec=2
TimeoutStopSec=20
UMask=0077
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
SystemCallArchitectures=native

[Install]
WantedBy=default.target
`
}

/** What such a unit runs, read back. Lines of another form than ours are passed over. */
export function readUnit(text: string): Installed {
  const command = [...(/^ExecStart=(.*)$/m.exec(text)?.[1]?.matchAll(WORD) ?? [])].map(([, word = '']) => meant(word.replaceAll('$$', '$')))
  const environment = [...text.matchAll(/^Environment="((?:[^"\\]|\\.)*)"$/gm)].map(([, word = '']) => meant(word).split('='))
  return {
    launcher: command[1] ?? null,
    environment: Object.fromEntries(environment.map(([name = '', ...value]) => [name, value.join('=')])),
  }
}

const WORD = /"((?:[^"\\]|\\.)*)"/g

/** The reverse of what `quoted` does to both kinds. */
function meant(word: string): string {
  return word.replaceAll('%%', '%').replaceAll(/\\(.)/g, '$1')
}

/** A word of a command line (where also \`$\` means something) or of an environment line. Newlines can't be in a path that is worth it. */
function quoted(word: string, place: 'command' | 'environment' = 'command'): string {
  const escaped = word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')
  return `"${place === 'command' ? escaped.replaceAll('$', '$$$$') : escaped}"`
}
