import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'

/** A path of the repository that a page names and that is not there, with its place. */
export interface MissingPath {
  readonly file: string
  readonly line: number
  readonly named: string
}

/** A path in code marks, without placeholders: `host/team/load-team.ts`. */
const NAMED = /`(?<named>[\w.-]+(?:\/[\w.-]+)+\/?)`/gu

/** The paths in code marks of a Markdown file that lead nowhere. They begin in the root, or in the folder of a package or an app, where `src` may be left out. */
export function missingPaths(file: string, root: string): readonly MissingPath[] {
  const packages = ['packages', 'apps'].flatMap((folder) => foldersIn(path.join(root, folder)))
  const starts = new Map([...foldersIn(root), ...packages].map((folder) => [path.basename(folder), folder]))
  return namedPaths(readFileSync(file, 'utf8'))
    .filter(({ named }) => {
      const [head = '', ...rest] = named.split('/')
      const start = starts.get(head)
      // a model, a tool, a type of content
      if (start === undefined) return false
      return ![[], ['src']].some((between) => existsSync(path.join(start, ...between, ...rest)))
    })
    .map((missing) => ({ file, ...missing }))
}

function foldersIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => path.join(folder, name))
}

function namedPaths(page: string): readonly Omit<MissingPath, 'file'>[] {
  return page
    .split('\n')
    .flatMap((text, index) =>
      [...text.matchAll(NAMED)].map((match) => ({ line: index + 1, named: match.groups?.['named'] ?? '' })),
    )
}
