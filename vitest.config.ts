import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: ['packages/*', 'apps/*', 'examples/*', 'requirements'],
    coverage: { provider: 'v8', include: ['{packages,apps}/*/src/**/*.ts'], reporter: ['text', 'lcov'] },
  },
})
