import { defineConfig, type Options } from 'tsup'

/** The bundler settings of every library package: ES modules for Node 22 and later. tsc writes the declarations. */
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
