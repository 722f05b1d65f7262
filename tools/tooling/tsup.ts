import { defineConfig, type Options } from 'tsup'

/** The bundler settings of every library package: ES modules for Node 22 and later. tsc writes the declarations. */
export function library(options: Options): ReturnType<typeof defineConfig> {
  return defineConfig(withDefaults(options))
}

/**
 * The bundler settings of programs. Everything is in the bundle, workspace packages from their sources, so that it
 * needs nothing installed beside it. Lazy imports stay files of their own.
 */
export function program(options: Options): Options {
  return withDefaults({
    sourcemap: false,
    noExternal: [/./],
    // CommonJS inside the bundle asks for Node's modules by `require`
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    esbuildOptions(settings) {
      // without `import`, which would also apply to `require` and give pg the namespace of pg-pool instead of its class
      settings.conditions = ['@troupe/source', 'module', 'node']
      settings.legalComments = 'none'
      // Node prints the whole line of an error that is not caught
      settings.lineLimit = 160
    },
    esbuildPlugins: [
      {
        name: 'dbos-telemetry',
        setup(build) {
          // DBOS requires these only for its own telemetry, which is switched off. Other packages need theirs.
          build.onResolve({ filter: DBOS_TELEMETRY }, (module) =>
            module.importer.includes('@dbos-inc') ? { path: module.path, external: true } : undefined,
          )
        },
      },
    ],
    ...options,
  })
}

// without the flag `u`, which esbuild does not understand
const DBOS_TELEMETRY = new RegExp('^(@opentelemetry/|winston|@dbos-inc/dbos-enterprise)')

function withDefaults(options: Options): Options {
  return {
    format: ['esm'],
    platform: 'node',
    target: 'node22',
    outDir: 'dist',
    clean: true,
    sourcemap: true,
    splitting: true,
    removeNodeProtocol: false,
    ...options,
  }
}
