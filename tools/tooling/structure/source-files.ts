import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A TypeScript file of the repository. */
export interface SourceFile {
  /** From the root of the repository, with `/`. */
  readonly path: string
  readonly text: string
}

const GENERATED = /\.(?:d|generated)\.ts$/u
const SKIPPED_FOLDER = /(?:^|[/\\])(?:node_modules|dist)$/u

/** Reads the source files of all packages and apps, without tests, in order of their paths. */
export function readSourceFiles(root: string): readonly SourceFile[] {
  return readFiles(root, '{packages,apps}/*/src/**/*.{ts,tsx}')
}

/** Reads the tests of all packages and apps, the examples and the development tools, in order of their paths. */
export function readTestAndToolFiles(root: string): readonly SourceFile[] {
  return readFiles(root, '{{packages,apps}/*/test,examples,deploy,tools}/**/*.{ts,tsx}')
}

function readFiles(root: string, pattern: string): readonly SourceFile[] {
  return globSync(pattern, { cwd: root, exclude: (path) => SKIPPED_FOLDER.test(path) })
    .filter((path) => !GENERATED.test(path))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/** Returns the folder of the package or app that a file is in, such as `packages/core`. */
export function packageOf({ path }: Pick<SourceFile, 'path'>): string {
  return path.split('/').slice(0, 2).join('/')
}
