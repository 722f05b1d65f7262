import { configDefaults, defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      'packages/*',
      'apps/*',
      'examples/*/vitest.config.ts',
      'deploy',
      'tools/bench',
      'tools/requirements',
      'tools/tooling',
      'tools/browser-tests',
    ],
    fsModuleCache: true,
    reporters: ['default', './tools/tooling/not-run-reporter.ts', ...(process.env['CI'] ? ['json'] : [])],
    outputFile: { json: 'coverage/test-report.json' },
    forceRerunTriggers: [...configDefaults.forceRerunTriggers, '**/pnpm-lock.yaml', 'tools/tooling/*.ts'],
    coverage: {
      provider: 'v8',
      include: ['{packages,apps}/*/src/**/*.ts'],
      reporter: ['text', 'lcov'],
    },
  },
})
