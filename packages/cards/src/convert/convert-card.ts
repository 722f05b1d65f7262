import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { dump } from 'js-yaml'
import { dirname } from 'node:path'
import type { CardProblem } from '../card/card-types.ts'
import { stemOf } from '../file/card-syntax.ts'
import type { ParseOptions, Translation } from '../formats/card-format.ts'
import { parseCards } from '../parse/parse-card.ts'
import { readAgents, type TranslatedAgents } from '../parse/read-agents.ts'
import { templateKeys } from '../template/template-fields.ts'
import { readComments } from './read-comments.ts'
import { hideSecrets } from './hide-secrets.ts'
import { relocate, type Relocation } from './relocate.ts'

/** An agent as a Troupe card. */
export interface ConvertedCard {
  readonly name: string
  /** The content of the whole file. */
  readonly text: string
  /** Key and text of relative paths that would not work in the target folder. */
  readonly unmovable: readonly string[]
}

/** The result of converting a file. */
export interface Conversion {
  /** Empty if the file has errors. */
  readonly cards: readonly ConvertedCard[]
  readonly problems: readonly CardProblem[]
  readonly dialect: string
}

/**
 * Converts the agents of a file in any card format to Troupe cards with the same definitions. Prompts are
 * kept byte for byte, comments stay with their keys, and whatever is not taken over is listed in a comment.
 * Relative paths are rewritten for the folder `to`; without it they stay as they are. Never throws.
 */
export function convertCard(text: string, options: ConvertCardOptions): Conversion {
  const parsed = parseCards(text, options)
  const problems = parsed.flatMap((card) => card.problems)
  const dialect = parsed[0]?.dialect ?? 'troupe'
  const agents = readAgents(text, options)
  const hasError = problems.some(({ severity }) => severity === 'error')
  if (hasError || 'problem' in agents) return { cards: [], problems, dialect }
  const cards = agents.translations.map((translation) =>
    toCard(translation, { text, agents, to: options.to, converted: options.converted }),
  )
  return { cards, problems, dialect }
}

/** Options of a conversion. */
export interface ConvertCardOptions extends ParseOptions {
  /** The folder that the cards are written to. Default: that of the file. */
  readonly to?: string
  /** New paths of the files that are converted together, by their paths. Children refer to them. */
  readonly converted?: ReadonlyMap<string, string>
}

interface ConversionSource {
  readonly text: string
  readonly agents: TranslatedAgents
  /** The folder that the card is written to. */
  readonly to: string | undefined
  readonly converted: ReadonlyMap<string, string> | undefined
}

function toCard(translation: Translation, source: ConversionSource): ConvertedCard {
  const { path } = source.agents.input
  const { instruction, dialect: _dialect, $schema: _schema, ...written } = translation.fields
  const { fields: moved, unmovable } = relocateFields(written, source)
  const { fields: rest, comments } = hideSecrets(moved, translation.secrets)
  const body = promptOf(translation, source)
  const name = typeof rest['name'] === 'string' ? rest['name'] : stemOf(path)
  // A prompt that begins like front matter would be parsed as such.
  const isLikeFence = /^\s*---/u.test(body)
  const fields: JsonObject = {
    dialect: 'troupe',
    ...withoutSources(rest),
    name,
    ...(isLikeFence ? { instruction: typeof instruction === 'string' ? instruction : body } : {}),
  }
  const lines = [
    '---',
    ...frontMatter(fields, translation, source),
    ...providerComments(translation),
    ...comments,
    '---',
    '',
  ]
  const end = source.text.includes('\r\n') ? '\r\n' : '\n'
  return { name, unmovable, text: `${lines.join(end)}${isLikeFence ? '' : body}` }
}

/** Removes the sources of rules that were written elsewhere: they become rules of the card. */
function withoutSources(fields: JsonObject): JsonObject {
  const { permissions } = fields
  if (!isJsonObject(permissions)) return fields
  const lists = Object.entries(permissions).map(([list, rules]): [string, Json] => [
    list,
    Array.isArray(rules) ? (rules as readonly Json[]).map(withoutSource) : rules,
  ])
  return { ...fields, permissions: Object.fromEntries(lists) }
}

function withoutSource(rule: Json): Json {
  if (!isJsonObject(rule)) return rule
  const { source: _source, ...rest } = rule
  return rest
}

function relocateFields(fields: JsonObject, { agents, to, converted }: ConversionSource): Relocation {
  const from = dirname(agents.input.path)
  const isSame = to === undefined || (to === from && converted === undefined)
  return isSame ? { fields, unmovable: [] } : relocate(fields, { from, to, converted })
}

function promptOf({ fields, body }: Translation, { text, agents }: ConversionSource): string {
  if (body !== undefined) return body
  const { instruction, description } = fields
  const written = typeof instruction === 'string' ? instruction : ''
  if (agents.card.body !== undefined && agents.card.body.trim() !== '') return originalBody(text)
  if (written.trim() !== '') return written.endsWith('\n') ? written : `${written}\n`
  return typeof fields['type'] === 'string' ? '' : `${typeof description === 'string' ? description : ''}\n`
}

function frontMatter(
  fields: JsonObject,
  translation: Translation,
  source: ConversionSource,
): readonly string[] {
  const comments =
    source.agents.translations.length === 1 ? readComments(source) : new Map<string, readonly string[]>()
  const order = ['dialect', ...templateKeys().flatMap(([key]) => (key === 'dialect' ? [] : [key]))]
  const keys = order.filter((key) => Object.hasOwn(fields, key))
  const taken = new Set<string>()
  const lines = keys.flatMap((key) => [
    ...originalKeys(key, translation).flatMap((written) => take(written, { comments, taken })),
    ...dumpField(key, fields[key] ?? null),
  ])
  const left = [...comments].flatMap(([key, own]) => (taken.has(key) ? [] : own))
  return [...lines, ...left, ...ignoredKeyComments(translation, source)]
}

/** Returns the original keys that a Troupe key was translated from, and the key itself. */
function originalKeys(key: string, { origins }: Translation): readonly string[] {
  const moved = [...origins]
    .filter(([to]) => to === key || to.startsWith(`${key}.`))
    .map(([, from]) => String(from[0]))
  return [...new Set([key, ...moved])]
}

function take(
  key: string,
  {
    comments,
    taken,
  }: { readonly comments: ReadonlyMap<string, readonly string[]>; readonly taken: Set<string> },
): readonly string[] {
  if (taken.has(key)) return []
  taken.add(key)
  return comments.get(key) ?? []
}

function dumpField(key: string, value: Json): readonly string[] {
  const yaml = dump({ [key]: value }, { noRefs: true, lineWidth: -1 })
  // A text that ends with empty lines is dumped with a document end marker, which must not stand between
  // keys.
  if (yaml.endsWith('\n...\n')) return [`${key}: ${JSON.stringify(value)}`]
  // Blanks at the end of a text block belong to it, so only the line break is removed.
  return yaml.replace(/\n$/u, '').split('\n')
}

function ignoredKeyComments({ report }: Translation, { agents }: ConversionSource): readonly string[] {
  const ignored = report.filter(
    ({ status, key }) => status === 'ignored' && key !== 'dialect' && key !== '$schema',
  )
  if (ignored.length === 0) return []
  const head = `# not converted from ${agents.cardFormat.product}:`
  return [head, ...ignored.map(({ key, reason }) => `#   ${oneLine(`${key}: ${reason ?? 'not supported'}`)}`)]
}

/** Names the providers that the card needs in troupe.json, without their values, which may be secret. */
function providerComments({ providers = {} }: Translation): readonly string[] {
  const lines = Object.entries(providers).map(
    ([name, settings]) => `#   ${name}: ${isJsonObject(settings) ? Object.keys(settings).join(', ') : ''}`,
  )
  return lines.length === 0 ? [] : ['# define in `providers` of troupe.json:', ...lines]
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ')
}

/**
 * Returns the prose of a card byte for byte: the text after the front matter, or the whole text if there is
 * none.
 */
export function originalBody(text: string): string {
  const content = text.replace(/^\uFEFF/u, '').replace(/^#!.*\n?/u, '')
  if (!/^---(?:ya?ml)?[ \t]*\r?\n/u.test(content)) return content
  let start = content.indexOf('\n') + 1
  while (start > 0 && start < content.length) {
    const end = content.indexOf('\n', start)
    const line = content.slice(start, end === -1 ? undefined : end)
    if (/^---[ \t]*\r?$/u.test(line)) return end === -1 ? '' : content.slice(end + 1)
    start = end + 1
  }
  return ''
}
