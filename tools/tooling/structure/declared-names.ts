import { packageOf, type SourceFile } from './source-files.ts'

const TYPE = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|enum) (?<name>[A-Z]\w*)/gmu
/** The start of a doc comment, outside of a text: the first word after `/**`. */
const DOC_COMMENT = /(?<!['"`])\/\*\*\s*(?:\*\s*)?(?<word>[A-Za-z]+)/gu
const RELATIVE: ReadonlySet<string> = new Set(['What', 'Of', 'Whether'])

/** Returns the names of types that are declared in more than one place of a package, or of several, with the files. */
export function repeatedTypes(files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  const places = files.flatMap(({ path, text }) =>
    Array.from(text.matchAll(TYPE), ({ groups }) => ({ name: groups?.['name'] ?? '', path })),
  )
  const byName = Map.groupBy(places, ({ name }) => name)
  return new Map(
    [...byName]
      .map(([name, list]) => [name, [...new Set(list.map(({ path }) => path))]] as const)
      .filter(([, paths]) => paths.length > 1)
      .toSorted(([a], [b]) => a.localeCompare(b)),
  )
}

/** Returns the files of the doc comments that begin with a relative word, once for each comment. */
export function relativeDocComments(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) =>
    Array.from(file.text.matchAll(DOC_COMMENT))
      .filter(({ groups }) => RELATIVE.has(groups?.['word'] ?? ''))
      .map(() => file.path),
  )
}

/** Counts the source lines and files of each package. */
export function sizes(
  files: readonly SourceFile[],
): ReadonlyMap<string, { readonly files: number; readonly lines: number }> {
  return new Map(
    [...Map.groupBy(files, packageOf)].map(([name, list]) => [
      name,
      { files: list.length, lines: list.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0) },
    ]),
  )
}

const EXPORTS = /^export (?:type )?\{(?<names>[^}]*)\} from/gmu

/** Returns the names that a file exports from other files, types included. */
export function exportedNames({ text }: Pick<SourceFile, 'text'>): readonly string[] {
  return Array.from(text.matchAll(EXPORTS), ({ groups }) => groups?.['names'] ?? '')
    .flatMap((names) => names.split(','))
    .map((name) =>
      name
        .trim()
        .replace(/^type /u, '')
        .replace(/^.* as /u, ''),
    )
    .filter((name) => name !== '')
}
