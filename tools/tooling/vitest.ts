import { defineConfig, type ViteUserConfig } from 'vitest/config'

/** Workspace packages resolve to their sources, so tests need no build. */
const conditions = ['@troupe/source', 'module', 'node', 'development|production']

/** The test settings of one workspace package. */
export function project(name: string, test: NonNullable<ViteUserConfig['test']> = {}): ViteUserConfig {
  return defineConfig({
    resolve: { conditions },
    ssr: { resolve: { conditions } },
    test: {
      name,
      environment: 'node',
      isolate: false,
      include: ['test/**/*.test.ts'],
      // what ends a test that hangs, on the slowest machine that runs them
      testTimeout: 60_000,
      expect: { poll: { timeout: 30_000 } },
      ...test,
    },
  })
}
