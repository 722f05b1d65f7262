import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A source file of the product: of a package or an app, without tests and type declarations. */
export interface SourceFile {
  /** From the root of the repository, with `/`. */
  readonly path: string
  readonly text: string
}

const GENERATED = /\.d\.ts$/u

/** Reads the source files of all packages and apps, in order of their paths. */
export function readSourceFiles(root: string): readonly SourceFile[] {
  return globSync('{packages,apps}/*/src/**/*.{ts,tsx}', { cwd: root })
    .filter((path) => !GENERATED.test(path))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/** Returns the folder of the package or app that a file is in, such as `packages/core`. */
export function packageOf({ path }: Pick<SourceFile, 'path'>): string {
  return path.split('/').slice(0, 2).join('/')
}
