/**
 * Bundles the types of the library `troupe` from the built packages into `apps/cli/dist/index.d.ts`, so that the
 * package needs nothing installed beside it. Run by `pnpm pack`, after `pnpm build`.
 */
import { realpathSync } from 'node:fs'
import path from 'node:path'
import { rollup, type Plugin } from 'rollup'
import { dts } from 'rollup-plugin-dts'

const root = path.join(import.meta.dirname, '../..')
/** Resolves two modules whose types TypeScript does not find from where they are imported. */
const missingTypes: Plugin = {
  name: 'missing-types',
  resolveId(id, importer = '') {
    if (id === 'json-schema') return path.join(import.meta.dirname, 'types/json-schema.d.ts')
    if (id !== '@modelcontextprotocol/core/internal') return null
    return path.resolve(realpathSync(path.dirname(importer)), '../../core/dist/internal.d.mts')
  },
}

/** Module resolution of bundlers: `ModuleKind.ESNext` and `ModuleResolutionKind.Bundler`. */
const BUNDLER = { module: 99, moduleResolution: 100 } as const

const bundle = await rollup({
  input: path.join(root, 'apps/cli/src/index.ts'),
  external: [/^node:/u],
  plugins: [
    missingTypes,
    dts({
      respectExternal: true,
      tsconfig: path.join(root, 'apps/cli/tsconfig.json'),
      // the built declarations, not the sources
      compilerOptions: { ...BUNDLER, customConditions: [], incremental: false, noEmit: false },
    }),
  ],
  // types that are not found matter only if they are left in the bundle, see below
  onwarn: () => undefined,
})
const { output } = await bundle.write({ file: path.join(root, 'apps/cli/dist/index.d.ts') })
await bundle.close()
const missing = output
  .flatMap((file) => ('imports' in file ? file.imports : []))
  .filter((id) => !id.startsWith('node:'))
if (missing.length > 0)
  throw new Error(`The types of the library import ${missing.join(', ')}, which it does not install.`)
