/** `node dev/bundle-plugin.ts`: puts the OpenCode plugin as one file into the build. Run by `npm run build`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { pluginText } from '../src/harness/opencode/plugin-text.ts'

const folder = fileURLToPath(new URL('../dist/harness/opencode/', import.meta.url))
mkdirSync(folder, { recursive: true })
writeFileSync(`${folder}plugin.bundle.js`, pluginText())
