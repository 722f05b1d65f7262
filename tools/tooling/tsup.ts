import { defineConfig, type Options } from 'tsup'

/** How every library package is bundled: ES modules for Node 22 and later; declarations come from tsc. */
export function library(options: Options): ReturnType<typeof defineConfig> {
  return defineConfig({
    format: ['esm'],
    platform: 'node',
    target: 'node22',
    outDir: 'dist',
    clean: true,
    sourcemap: true,
    splitting: true,
    removeNodeProtocol: false,
    ...options,
  })
}
