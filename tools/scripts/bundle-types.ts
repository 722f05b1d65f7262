/**
 * Bundles the types of the library `troupe` and its subpaths from the built packages into `apps/cli/dist/`, so that the
 * package needs nothing installed beside it. Run by `pnpm pack`, after `pnpm build`.
 */
import { readFileSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { rollup, type Plugin } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import { undocumentedFields } from '@troupe/tooling/check/undocumented-fields'

const app = path.join(import.meta.dirname, '../../apps/cli')
/** Resolves a module whose types TypeScript does not find from where it is imported. */
const missingTypes: Plugin = {
  name: 'missing-types',
  resolveId(id, importer = '') {
    if (id !== '@modelcontextprotocol/core/internal') return null
    return path.resolve(realpathSync(path.dirname(importer)), '../../core/dist/internal.d.mts')
  },
}

/** Follows symbolic links, so that a module that several packages import is one module. */
const realPaths: Plugin = {
  name: 'real-paths',
  async resolveId(id, importer, { isEntry }) {
    const found = await this.resolve(id, importer, { isEntry, skipSelf: true })
    if (found === null || found.external !== false || !path.isAbsolute(found.id)) return found
    return { ...found, id: realpathSync(found.id) }
  },
}

/** Module resolution of bundlers: `ModuleKind.ESNext` and `ModuleResolutionKind.Bundler`. */
const BUNDLER = { module: 99, moduleResolution: 100 } as const

const bundle = await rollup({
  input: entryPoints(),
  external: [/^node:/u],
  plugins: [
    realPaths,
    missingTypes,
    dts({
      respectExternal: true,
      tsconfig: path.join(app, 'tsconfig.json'),
      // the built declarations, not the sources
      compilerOptions: { ...BUNDLER, customConditions: [], incremental: false, noEmit: false },
    }),
  ],
  // types that are not found matter only if they are left in the bundle, see below
  onwarn: () => undefined,
})
const { output } = await bundle.write({
  dir: path.join(app, 'dist'),
  entryFileNames: '[name].d.ts',
  chunkFileNames: 'types-[hash].d.ts',
  // the bundler drops the references of the sources
  banner: ({ modules }) =>
    Object.values(modules).some(({ code }) => code?.includes('AsyncDisposable'))
      ? '/// <reference lib="esnext.disposable" />'
      : '',
})
await bundle.close()
const missing = output
  .flatMap((file) => ('imports' in file ? file.imports : []))
  .filter((id) => !id.startsWith('node:') && !id.startsWith('types-') && !id.endsWith('.d.ts'))
if (missing.length > 0)
  throw new Error(`The types of the library import ${missing.join(', ')}, which it does not install.`)

const undocumented = Object.keys(entryPoints()).flatMap((name) =>
  undocumentedFields(path.join(app, 'dist', `${name}.d.ts`)).map((field) => `${name}: ${field}`),
)
if (undocumented.length > 0)
  throw new Error(`These exported fields have no doc comment:\n${undocumented.join('\n')}`)

/** Returns the source files of the subpaths by the names of their declarations, from the exports of the package. */
function entryPoints(): Readonly<Record<string, string>> {
  const manifest = JSON.parse(readFileSync(path.join(app, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  }
  return Object.fromEntries(
    Object.values(manifest.exports).flatMap((target) =>
      typeof target === 'string' || target['@troupe/source'] === undefined || target['types'] === undefined
        ? []
        : [[path.basename(target['types'], '.d.ts'), path.join(app, target['@troupe/source'])]],
    ),
  )
}
