import { dirname } from 'node:path'
import type { ParsedCard, ParseOptions } from '@troupe/cards'
import { convertCard, parseCard } from '../cards.ts'

/** Files of a project, by their paths below `/p`. */
export type ProjectFiles = Readonly<Record<string, string>>

const ROOT = '/p'

/** Reads a card of a project that exists only in memory. */
export function readProjectCard(
  file: string,
  files: ProjectFiles,
  options: Partial<ParseOptions> = {},
): ParsedCard {
  return parseCard(files[file] ?? '', { ...optionsFor(file, files), ...options })
}

/** Converts a card of such a project and returns the text of the new card. */
export function convertProjectCard(file: string, files: ProjectFiles): string {
  return convertCard(files[file] ?? '', optionsFor(file, files)).cards[0]?.text ?? ''
}

/** Returns the problems of a card as `severity code message`. */
export function problemsOf({ problems }: ParsedCard): readonly string[] {
  return problems
    .filter(({ code }) => code !== 'card_no_description')
    .map(({ severity, code, message }) => `${severity} ${code} ${message}`)
}

function optionsFor(file: string, files: ProjectFiles): ParseOptions {
  const all = new Map(Object.entries(files).map(([name, text]) => [`${ROOT}/${name}`, text]))
  const read = (path: string): string => {
    const text = all.get(path)
    if (text === undefined) throw Object.assign(new Error(`no file ${path}`), { code: 'ENOENT' })
    return text
  }
  return {
    path: `${ROOT}/${file}`,
    workspace: ROOT,
    readText: read,
    readProjectFile: (path) => all.get(path),
    listFiles: (folder) =>
      [
        ...new Set(
          [...all.keys()]
            .filter((path) => path.startsWith(`${folder}/`))
            .map((path) => path.slice(folder.length + 1).split('/', 1)[0] ?? ''),
        ),
      ].toSorted(),
    realPath: () => `${dirname(`${ROOT}/${file}`)}/${file.replace(/^.*\//u, '')}`,
  }
}
