import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

const PREVIEW = fileURLToPath(new URL('dev/effect-preview/package.json', import.meta.url))

/** The mount is built with the Effect of its host: for tests inside a host on the preview, that is the preview. */
const effectOfPreview: Plugin = {
  name: 'effect-of-preview',
  enforce: 'pre',
  async resolveId(id, importer) {
    if (importer === PREVIEW || !/^effect(\/|$)/.test(id)) return null
    return await this.resolve(id, PREVIEW, { skipSelf: true })
  },
}

export default defineConfig({
  test: {
    // real servers, files and processes on a busy machine: generous, nothing is timed
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'forks',
    projects: [
      {
        extends: true,
        test: { name: 'main', include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'canary/**/*.test.ts', 'bench/**/*.test.ts'] },
      },
      {
        extends: true,
        plugins: [effectOfPreview],
        test: { name: 'effect-preview', include: ['dev/effect-preview/*.test.ts'] },
      },
    ],
  },
})
