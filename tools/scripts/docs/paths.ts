import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'

/** A path that a page names and that does not exist in the repository. */
export interface MissingPath {
  readonly file: string
  readonly line: number
  readonly named: string
}

/** Matches a path in code marks without placeholders, such as `host/team/load-team.ts`. */
const NAMED = /`(?<named>[\w.-]+(?:\/[\w.-]+)+\/?)`/gu

/** Returns the paths in code marks of a Markdown file that do not exist. A path begins in the root, a package or an app; `src` may be left out. */
export function missingPaths(file: string, root: string): readonly MissingPath[] {
  const folders = [root, path.join(root, 'packages'), path.join(root, 'apps')].flatMap(foldersIn)
  return namedPaths(readFileSync(file, 'utf8'))
    .filter(({ named }) => {
      const [head = '', ...rest] = named.split('/')
      const starts = folders.filter((folder) => path.basename(folder) === head)
      // Other names with a slash are models, tools and media types.
      if (starts.length === 0) return false
      return !starts.some((start) =>
        [[], ['src']].some((between) => existsSync(path.join(start, ...between, ...rest))),
      )
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
