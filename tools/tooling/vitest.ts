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
      // ends a test or a hook that hangs, even on the slowest machine
      testTimeout: 60_000,
      hookTimeout: 60_000,
      expect: { poll: { timeout: 30_000 } },
      ...test,
    },
  })
}
