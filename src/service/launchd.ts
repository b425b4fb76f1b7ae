/**
 * The property list of launchd for one user (macOS).
 *
 * Facts: launchd.plist(5) and launchctl(1) of macOS. It could not be run where this was written: its form is checked by a parser in the tests.
 */
import { join } from 'node:path'
import { MARK, type Installed, type ServiceWish } from './wish.ts'

export const LABEL = 'contextmd'

export function plistFile(home: string): string {
  return join(home, 'Library', 'LaunchAgents', `${LABEL}.plist`)
}

/** launchd waits this long before it starts again what has failed. */
const THROTTLE_SECONDS = 10
/** 077: files are for their owner only. The list takes it as a decimal number. */
const UMASK = 0o077

export function plistText({ program, args, environment, log }: ServiceWish): string {
  const words = [program.node, program.launcher, ...args].map((word) => `    <string>${escaped(word)}</string>\n`).join('')
  const variables = Object.entries(environment)
    .map(([name, value]) => `    <key>${escaped(name)}</key>\n    <string>${escaped(value)}</string>\n`)
    .join('')
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ${MARK} -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${words}  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables}  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>${THROTTLE_SECONDS}</integer>
  <key>ProcessType</key>
  <string>Background</string>
  <key>Umask</key>
  <integer>${UMASK}</integer>
  <key>StandardOutPath</key>
  <string>${escaped(log)}</string>
  <key>StandardErrorPath</key>
  <string>${escaped(log)}</string>
</dict>
</plist>
`
}

/** What such a list runs, read back. */
export function readPlist(text: string): Installed {
  const words = [...(/<array>([^]*?)<\/array>/.exec(text)?.[1] ?? '').matchAll(/<string>([^<]*)<\/string>/g)]
  const variables = (/<key>EnvironmentVariables<\/key>\s*<dict>([^]*?)<\/dict>/.exec(text)?.[1] ?? '').matchAll(
    /<key>([^<]*)<\/key>\s*<string>([^<]*)<\/string>/g,
  )
  return {
    launcher: words[1]?.[1] === undefined ? null : meant(words[1][1]),
    environment: Object.fromEntries([...variables].map(([, name = '', value = '']) => [meant(name), meant(value)])),
  }
}

function meant(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
