import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'canary/**/*.test.ts', 'bench/**/*.test.ts'],
    // real servers, files and processes on a busy machine: generous, nothing is timed
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'forks',
  },
})
