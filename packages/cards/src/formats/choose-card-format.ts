import { isJsonObject, type Json } from '@troupe/schema'
import { canonicalJson } from '@troupe/schema/json'
import type { CardFormat, CardFormats, RawCard } from './card-format.ts'
import { textList } from './text-list.ts'
import { definesAgents, troupeFormat } from './troupe.ts'

/** A chosen card format and the reason for the choice. */
export interface CardFormatChoice {
  readonly cardFormat: CardFormat
  /**
   * `values`: chosen only by values, such as tool names, under keys that several formats have. `default`: no
   * other format applies.
   */
  readonly by: 'name' | 'path' | 'keys' | 'values' | 'default'
  /**
   * A format that fits the values but was not chosen, because it would give the agent tools that it does not
   * have as a Troupe card.
   */
  readonly alternative?: CardFormat
}

/**
 * Chooses the format of a card: the one named by `dialect` or `format`, else the one that documents the
 * folder or file name, else the one whose project the card belongs to, else the only one that has the keys of
 * the file, else Troupe's. A Troupe key that a format lacks excludes that format. Values decide only if the agent gets no tool that it does not have as a
 * Troupe card.
 */
export function chooseCardFormat(card: RawCard): CardFormatChoice {
  const named = namedFormat(card)
  if (named !== undefined) return { cardFormat: named, by: 'name' }
  const byPath = formatOfPath(card) ?? card.formats?.formats.find((format) => format.matchesProject?.(card))
  return byPath === undefined ? formatOfContent(card) : { cardFormat: byPath, by: 'path' }
}

/** Returns the name of the format that documents this path, or Troupe's for any other path. */
export function cardFormatOfFile(path: string, { formats }: CardFormats = NO_FORMATS): string {
  const file = path.replaceAll('\\', '/')
  const found =
    formats.find((cardFormat) => cardFormat.matchesFolder(file)) ??
    formats.find((cardFormat) => cardFormat.matchesFileName(file))
  return (found ?? troupeFormat).name
}

/** Returns the valid values of `dialect`. */
export function cardFormatNames(card: RawCard): readonly string[] {
  return allFormats(card).map((cardFormat) => cardFormat.name)
}

const NO_FORMATS: CardFormats = { formats: [], paths: /(?!)/u, otherFiles: [] }

/** Returns all card formats, Troupe's first. */
function allFormats({ formats = NO_FORMATS }: RawCard): readonly CardFormat[] {
  return [troupeFormat, ...formats.formats]
}

/**
 * Returns true for a card in the format of another product, unless the format allows several agents per file
 * and the file has none.
 */
export function isForeignCard(card: RawCard): boolean {
  const { cardFormat } = chooseCardFormat(card)
  return cardFormat !== troupeFormat && cardFormat.several?.(card)?.length !== 0
}

function namedFormat(card: RawCard): CardFormat | undefined {
  const { fields } = card
  const name = fields['dialect'] ?? fields['format']
  return name === undefined ? undefined : allFormats(card).find((cardFormat) => cardFormat.name === name)
}

function formatOfPath(card: RawCard): CardFormat | undefined {
  const { formats, paths } = card.formats ?? NO_FORMATS
  const path = card.path.replaceAll('\\', '/')
  if (!paths.test(path)) return undefined
  const inFolder = formats.find((cardFormat) => cardFormat.matchesFolder(path))
  if (inFolder !== undefined) return inFolder
  const ending = formats.find((cardFormat) => cardFormat.matchesFileName(path))
  return ending === undefined || ending.accepts(card) || !troupeFormat.accepts(card) ? ending : troupeFormat
}

const OWN: CardFormatChoice = { cardFormat: troupeFormat, by: 'default' }

function formatOfContent(card: RawCard): CardFormatChoice {
  const { formats } = card.formats ?? NO_FORMATS
  const isOwn = troupeFormat.accepts(card)
  if (isOwn && !formats.some((cardFormat) => cardFormat.usesOwnValues?.(card) === true)) return OWN
  const covering = formats.filter((cardFormat) => cardFormat.accepts(card))
  const candidates = covering.length > 1 ? covering : formats
  const found =
    covering.length === 1 ? covering : candidates.filter((cardFormat) => isMarked(cardFormat, card))
  const [cardFormat, ...others] = found
  if (cardFormat === undefined || others.length > 0) return OWN
  if (isMarked(cardFormat, card) || definesAgents(card.fields)) return { cardFormat, by: 'keys' }
  if (!isOwn && formats.filter((other) => other.hasAllKeys(card)).length === 1)
    return { cardFormat, by: 'keys' }
  if (!keepsOwnKeys(cardFormat, card)) return OWN
  return grantsNoMore(cardFormat, card) ? { cardFormat, by: 'values' } : { ...OWN, alternative: cardFormat }
}

/**
 * Returns true if the card has a shape unique to the format, and the format has every Troupe key of the card.
 */
function isMarked(cardFormat: CardFormat, card: RawCard): boolean {
  const own = Object.entries(card.fields).filter(([key]) => troupeFormat.isKey(key))
  return (
    cardFormat.hasUniqueShape(card) && cardFormat.hasAllKeys({ ...card, fields: Object.fromEntries(own) })
  )
}

/** Keys whose entries grant an agent access to tools or agents. */
const GRANTING = ['tools', 'runtimeTools', 'servers', 'agents'] as const

/** Returns true if the format grants the agent nothing that it does not have as a Troupe card. */
function grantsNoMore(cardFormat: CardFormat, card: RawCard): boolean {
  const input = { ...card, readText: undefined }
  const { fields } = cardFormat.translate(input)
  const { fields: own } = troupeFormat.translate(input)
  // Without an allow-list every tool is allowed.
  if (fields['tools'] === undefined && own['tools'] !== undefined) return false
  return GRANTING.every((key) => {
    const allowed = entriesOf(own[key])
    return entriesOf(fields[key]).every((entry) => allowed.includes(entry))
  })
}

function entriesOf(value: Json | undefined): readonly string[] {
  if (isJsonObject(value)) return [canonicalJson(value)]
  return (textList(value ?? [], []) ?? []).map(({ text }) => text)
}

/** Keys whose values identify a format. */
const RECOGNIZED_BY_VALUE: ReadonlySet<string> = new Set(['model', 'mode', 'tools'])

/** Returns true if every Troupe key of the card means the same in the format. */
function keepsOwnKeys({ rows, extendsTroupe }: CardFormat, { fields }: RawCard): boolean {
  if (extendsTroupe) return true
  const statuses = new Map(rows.map(({ key, status }) => [key, status]))
  return Object.keys(fields).every((key) => {
    const status = statuses.get(key)
    const isSame = status === 'honoured' || (status === 'translated' && RECOGNIZED_BY_VALUE.has(key))
    return isSame || key === '$schema' || !troupeFormat.isKey(key)
  })
}
