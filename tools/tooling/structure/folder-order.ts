import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { folderImports, type FolderImport } from './folder-imports.ts'
import type { SourceFile } from './source-files.ts'

/** The folders of a package in order, from the public API at the top down to what all others use. */
export type FolderOrder = readonly string[]

/** Reads `folders.json` of a package: `{ "folders": [...] }`. Returns `undefined` if the package has none. */
export function readFolderOrder(root: string, name: string): FolderOrder | undefined {
  let text: string
  try {
    text = readFileSync(join(root, name, 'folders.json'), 'utf8')
  } catch {
    return undefined
  }
  const { folders }: { readonly folders: FolderOrder } = JSON.parse(text)
  return folders
}

/** Returns the imports of a package that point upward in its order. Imports by files at the top of `src` are always allowed. */
export function upwardImports(imports: readonly FolderImport[], order: FolderOrder): readonly FolderImport[] {
  const level = new Map(order.map((folder, index) => [folder, index]))
  return imports.filter(({ from, to }) => {
    if (from === '.') return false
    const below = level.get(to)
    return below === undefined || below < (level.get(from) ?? Infinity)
  })
}

/** Returns a message for each upward import, unlisted folder and listed folder that does not exist. */
export function folderOrderProblems(
  files: readonly SourceFile[],
  orderOf: (name: string) => FolderOrder | undefined,
): readonly string[] {
  return [...folderImports(files)].flatMap(([name, imports]) => {
    const order = orderOf(name)
    if (order === undefined) return []
    const folders = new Set(
      files
        .filter(({ path }) => path.startsWith(`${name}/src/`))
        .map(({ path }) => path.split('/').slice(3, -1)[0] ?? '.'),
    )
    folders.delete('.')
    return [
      ...[...folders]
        .filter((folder) => !order.includes(folder))
        .map((folder) => `${name}/folders.json does not list ${folder}`),
      ...order
        .filter((folder) => !folders.has(folder))
        .map((folder) => `${name}/folders.json lists ${folder}, which does not exist`),
      ...upwardImports(imports, order).map(
        ({ from, to, path }) => `${path}: ${from} imports ${to}, which is above it in ${name}/folders.json`,
      ),
    ]
  })
}
