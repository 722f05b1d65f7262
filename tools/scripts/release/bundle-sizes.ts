import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build, type Metafile } from 'esbuild'

/** Sizes of a minified bundle. Modules that are imported lazily are not part of the start. */
export interface BundleSizes {
  readonly startBytes: number
  readonly startGzipBytes: number
  readonly startBrotliBytes: number
}

/**
 * Bundles a program for Node with esbuild and returns the size of what is loaded at its start: its own file and
 * everything that it imports statically. `folder` has the packages that it imports.
 */
export async function bundleSizes(folder: string, program: string): Promise<BundleSizes> {
  const out = path.join(folder, 'bundle')
  mkdirSync(out)
  const entry = path.join(folder, 'program.js')
  writeFileSync(entry, program)
  const { metafile } = await build({
    entryPoints: [entry],
    outdir: out,
    absWorkingDir: folder,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    metafile: true,
    legalComments: 'none',
    logLevel: 'error',
  })
  const texts = filesAtStart(metafile).map((file) => readFileSync(path.join(folder, file)))
  rmSync(out, { recursive: true })
  return {
    startBytes: sum(texts.map((text) => text.length)),
    startGzipBytes: sum(texts.map((text) => gzipSync(text).length)),
    startBrotliBytes: sum(texts.map((text) => brotliCompressSync(text).length)),
  }
}

/** Returns the file of the entry point and all that it imports statically. */
export function filesAtStart({ outputs }: Pick<Metafile, 'outputs'>): readonly string[] {
  const entry = Object.keys(outputs).find(
    (file) => outputs[file]?.entryPoint?.endsWith('program.js') === true,
  )
  if (entry === undefined) throw new Error('The bundle has no entry point.')
  const files = new Set([entry])
  // the set grows while it is read
  for (const file of files)
    for (const { path: imported, kind, external } of outputs[file]?.imports ?? [])
      if (kind === 'import-statement' && external !== true) files.add(imported)
  return [...files]
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
