import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Files of every dialect, which the package of cards explains and this one runs. */
const FOLDER = join(import.meta.dirname, '../../../card-formats/test/corpus')
const CARD = /\.(?:md|ai|ya?ml|jsonc?)$/u
/** Texts that prompts include. */
const PARTS = /(?:house-rules|tone|words|SKILL)\.md$/u

/** The dialects that have a folder. */
export const CORPUS_DIALECTS: readonly string[] = readdirSync(FOLDER).toSorted()

/** The cards of a dialect, as paths below its folder. */
export function corpusFiles(dialect: string): readonly string[] {
  const paths = readdirSync(join(FOLDER, dialect), { recursive: true, encoding: 'utf8' })
  return paths.filter((path) => CARD.test(path) && !PARTS.test(path)).toSorted()
}

/** The path of a file of the corpus. */
export function corpusPath(dialect: string, file: string): string {
  return join(FOLDER, dialect, file)
}
