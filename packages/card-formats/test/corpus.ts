import { readdirSync, statSync } from 'node:fs'
import { release, type } from 'node:os'
import { join, relative } from 'node:path'
import { defineAgent } from '@troupe/schema'
import { readCards, type ParsedCard } from './cards.ts'

const FOLDER = join(import.meta.dirname, 'corpus')
const CARD = /\.(?:md|ai|ya?ml|jsonc?)$/u
/** Included prompt texts, and skills. */
const PARTS = /(?:house-rules|tone|words|SKILL)\.md$/u

/** The dialects that have a folder in the corpus. */
export const CORPUS_DIALECTS: readonly string[] = readdirSync(FOLDER).toSorted()

/** Returns the cards of a dialect, as paths below its folder. */
export function corpusFiles(dialect: string): readonly string[] {
  return filesBelow(join(FOLDER, dialect)).filter((path) => CARD.test(path) && !PARTS.test(path))
}

/** Returns the path of a file of the corpus. */
export function corpusPath(dialect: string, file: string): string {
  return join(FOLDER, dialect, file)
}

/** Returns everything reported about a file, as text to compare. */
export function explained(dialect: string, file: string): string {
  return readCards(corpusPath(dialect, file)).map(explainCard).join('\n\n').concat('\n')
}

function explainCard({ dialect, definition, report, problems }: ParsedCard): string {
  const shown = definition === undefined ? [] : [settingsOf(definition)]
  return [
    `${definition?.name ?? '(no agent)'} read as ${dialect}`,
    ...report.map(({ key, status, to, reason }) =>
      [
        `  ${key}: ${status}`,
        to === undefined ? '' : ` -> ${to}`,
        reason === undefined ? '' : ` (${reason})`,
      ].join(''),
    ),
    ...problems.map(
      ({ severity, line, column, code, message }) =>
        `  ${String(line)}:${String(column)} ${severity} ${code} ${message.replaceAll(FOLDER, '.')}`,
    ),
    ...shown,
  ]
    .join('\n')
    .replaceAll(FOLDER, '.')
    .replaceAll(`${type()} ${release()}`, '(platform)')
}

/** Returns the properties of the definition that differ from the defaults. */
function settingsOf(definition: NonNullable<ParsedCard['definition']>): string {
  const told = Object.entries(definition).filter(([key]) => !LEFT_OUT.has(key))
  const own = Object.fromEntries(definition.ownLimits.map((key) => [key, definition.limits[key]]))
  const different = told.filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(DEFAULTS.get(key)))
  const limits = definition.ownLimits.length === 0 ? [] : [['limits', own] as const]
  return [...different, ...limits].map(([key, value]) => `  = ${key}: ${JSON.stringify(value)}`).join('\n')
}

const LEFT_OUT: ReadonlySet<string> = new Set(['name', 'digest', 'source', 'limits', 'ownLimits'])
const DEFAULTS: ReadonlyMap<string, unknown> = new Map(
  Object.entries(defineAgent({ name: 'none', instruction: 'none' })),
)

function filesBelow(folder: string): readonly string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return paths
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => relative('.', path))
    .toSorted()
}
