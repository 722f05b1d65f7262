import { basename, dirname, join, relative, sep } from 'node:path'
import type { JsonObject } from '@troupe/schema'
import { addToList, textList, type FieldContext, type RawCard } from '@troupe/cards/formats'
import { isText } from '../rules/field-rule.ts'
import { projectOf } from './project.ts'

/** A card in a folder of cards. */
interface FolderCard {
  readonly file: string
  readonly name: string
  readonly fields: JsonObject
}

const CARD_FILE = /\.(?:md|markdown|ya?ml)$/iu
/** Maximum number of cards read in a folder. */
const MAX_CARDS = 500

/**
 * Adds the cards in `tool-cards` of the home folder to the agents of the card that fast-agent adds them to:
 * the one that the user chose, else the first one with `default: true`, else the first one, if it is an
 * ordinary agent.
 */
export function putToolCards({ rewriter, card }: FieldContext): void {
  const folder = join(projectOf(card).home, 'tool-cards')
  if (card.readFields === undefined || dirname(card.path) === folder) return
  const tools = cardsIn(folder, card)
  if (tools.length === 0 || !isMain(card)) return
  const paths = tools.map(({ file }) => pathFrom(card, join(folder, file)))
  const names = new Set(tools.map(({ name }) => name))
  const listed = (textList(rewriter.get(['agents']) ?? [], ['agents']) ?? []).map(({ text }) => text)
  const added = paths.filter((path) => !listed.includes(path))
  addToList(rewriter, { to: ['agents'], values: added, from: ['agents'] })
  rewriter.note({
    key: '(tool-cards)',
    status: 'translated',
    to: 'agents',
    reason: `${[...names].join(', ')}: fast-agent adds them to this agent`,
  })
}

/** Keys that name other agents. */
const REFERENCES = ['agents', 'sequence', 'fanOut', 'fanIn', 'generator', 'evaluator', 'worker'] as const

/** Replaces the names of agents in the other folder of the home by the paths of their cards. */
export function redirectChildren({ rewriter, card }: FieldContext): void {
  if (card.readFields === undefined || !REFERENCES.some((key) => rewriter.get([key]) !== undefined)) return
  const { home } = projectOf(card)
  const folders = ['agent-cards', 'tool-cards'].map((name) => join(home, name))
  const others = folders
    .filter((folder) => folder !== dirname(card.path))
    .flatMap((folder) =>
      cardsIn(folder, card).map(({ file, name }) => [name, pathFrom(card, join(folder, file))] as const),
    )
  const paths = new Map(others)
  for (const key of REFERENCES) {
    const value = rewriter.get([key])
    const names = Array.isArray(value) ? value : [value]
    if (!names.some((name) => isText(name) && paths.has(name))) continue
    const from = rewriter.originOf([key])
    const moved = names.map((name) => (isText(name) ? (paths.get(name) ?? name) : name))
    rewriter.remove([key])
    rewriter.put([key], Array.isArray(value) ? moved : (moved[0] ?? ''), from)
  }
}

/** Returns true for the card that fast-agent starts with. */
function isMain(card: RawCard): boolean {
  const own = basename(card.path)
  const entries = cardsIn(dirname(card.path), card).filter(({ fields }) => fields['tool_only'] !== true)
  const chosen = entries.find(({ name, file }) =>
    [name, join(dirname(card.path), file)].includes(card.entry ?? ''),
  )
  const main = chosen ?? entries.find(({ fields }) => fields['default'] === true) ?? entries[0]
  return main?.file === own && isOrdinary(main.fields)
}

function isOrdinary({ type = 'agent' }: JsonObject): boolean {
  return isText(type) && /^(?:agent)?$/iu.test(type.trim())
}

/** Returns the cards in a folder: one level, sorted, Markdown only with front matter. */
function cardsIn(folder: string, { listFiles, readFields }: RawCard): readonly FolderCard[] {
  const files = (listFiles?.(folder) ?? []).filter((name) => CARD_FILE.test(name)).slice(0, MAX_CARDS)
  return files.flatMap((file) => {
    const fields = readFields?.(join(folder, file), folder)
    if (fields === undefined) return []
    const name = isText(fields['name']) ? fields['name'].trim() : file.replace(CARD_FILE, '')
    return [{ file, name: name.replaceAll(' ', '_'), fields }]
  })
}

function pathFrom({ path }: RawCard, file: string): string {
  const way = relative(dirname(path), file).split(sep).join('/')
  return way.includes('/') ? way : `./${way}`
}
