import { copyFileSync } from 'node:fs'
import { withNotices } from '@troupe/tooling/third-party-notices'
import { library } from '@troupe/tooling/tsup'

// without the flag `u`, which esbuild does not understand
const DBOS_TELEMETRY = new RegExp('^(@opentelemetry/|winston|@dbos-inc/dbos-enterprise)')

/** Everything is in the bundle, workspace packages from their sources, so that the package needs nothing installed beside it. Lazy imports stay files of their own. */
export default library({
  entry: {
    bin: 'src/bin.ts',
    index: 'src/index.ts',
    'watchdog-worker': 'src/watchdog-worker.ts',
    'function-worker': 'src/function-worker.ts',
    'page-worker': '../../packages/runtime/src/web/page-worker.ts',
    'provided/schema': 'src/provided/schema.ts',
    'provided/hooks': 'src/provided/hooks.ts',
    'provided/zod': 'src/provided/zod.ts',
  },
  minify: true,
  sourcemap: false,
  noExternal: [/./],
  ...withNotices(import.meta.dirname, {
    // Python runs it from beside the bundle
    onSuccess: () => copyFileSync('../../packages/python/src/bridge.py', 'dist/bridge.py'),
  }),
  // CommonJS inside the bundle asks for Node's modules by `require`
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  esbuildOptions(options) {
    // without `import`, which would also apply to `require` and give pg the namespace of pg-pool instead of its class
    options.conditions = ['@troupe/source', 'module', 'node']
    options.legalComments = 'none'
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
})
