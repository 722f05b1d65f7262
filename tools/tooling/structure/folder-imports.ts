import { posix } from 'node:path'
import { packageOf, type SourceFile } from './source-files.ts'

/** An import from one folder of a package to another. Files at the top of `src` are in the folder `.`. */
export interface FolderImport {
  readonly from: string
  readonly to: string
  /** The importing file. */
  readonly path: string
}

const IMPORT = /\b(?:from|import)\s*\(?\s*'(?<specifier>\.{1,2}\/[^']+)'/gu

/** Returns the imports between folders directly below `src`, type imports included, by package. */
export function folderImports(files: readonly SourceFile[]): ReadonlyMap<string, readonly FolderImport[]> {
  const found = files.map((file) => ({ name: packageOf(file), imports: importsOf(file) }))
  return new Map(
    [...Map.groupBy(found, ({ name }) => name)].map(([name, list]) => [
      name,
      list.flatMap(({ imports }) => imports),
    ]),
  )
}

function importsOf({ path, text }: SourceFile): readonly FolderImport[] {
  const from = folderOf(path)
  return Array.from(text.matchAll(IMPORT), ({ groups }) => {
    const target = posix.join(posix.dirname(path), groups?.['specifier'] ?? '')
    return { from, to: folderOf(target), path }
  }).filter(({ to }) => to !== from)
}

function folderOf(path: string): string {
  const [, , , folder = '.', ...rest] = path.split('/')
  return rest.length === 0 ? '.' : folder
}

/** Returns the folders that are in a cycle of imports: groups of folders that reach each other. */
export function foldersInCycles(imports: readonly FolderImport[]): readonly string[] {
  const below = Map.groupBy(imports, ({ from }) => from)
  const reach = (start: string): ReadonlySet<string> => {
    const found = new Set<string>()
    const open = [start]
    for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
      for (const { to } of below.get(folder) ?? []) {
        if (found.has(to)) continue
        found.add(to)
        open.push(to)
      }
    }
    return found
  }
  return [...below.keys()].filter((folder) => reach(folder).has(folder)).toSorted()
}
