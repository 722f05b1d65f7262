import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { canonicalJson } from '@troupe/schema/json'
import { closest } from '@troupe/schema/text'
import {
  type CardFormat,
  createRewriter,
  createToolPermissions,
  dottedPath,
  type FieldContext,
  type FieldPath,
  type FieldReport,
  ignoredOwnKeyProblem,
  isSafeToIgnore,
  ownKeyOf,
  quotedPath,
  type RawCard,
  type Rewriter,
  suggestKey,
  type Translation,
} from '@troupe/cards/formats'
import { drop, type FieldRule, type FieldRules } from './field-rule.ts'

/** A card format defined by a table of keys. */
interface CardFormatTable {
  readonly name: string
  readonly product: string
  readonly pathPatterns: readonly string[]
  /** Matches folders that only this format uses. */
  readonly folder?: RegExp
  /** Matches file names that indicate this format. */
  readonly ending?: RegExp
  readonly rules: FieldRules
  /** True if the product refuses unknown keys. Otherwise they are reported, and get a warning if misspelt. */
  readonly refusesUnknownKeys?: true
  /** The reason reported for unknown keys. */
  readonly unknownKeyReason?: string
  /** Suggestions for unknown keys, if the most similar key would be the wrong one. */
  readonly keySuggestions?: Readonly<Record<string, string>>
  /** The tools of an agent whose file does not mention tools. */
  readonly tools: 'all' | 'none'
  /** True if the product asks about tools of MCP servers unless the file allows them. */
  readonly asksForServers?: true
  /** Returns false if the format could not hold the values. */
  readonly acceptsValues?: (card: RawCard) => boolean
  /** Returns true for a shape that no other format has. */
  readonly hasUniqueShape?: (card: RawCard) => boolean
  /** Returns the fields with values replaced before they are translated. */
  readonly prepare?: (fields: JsonObject, rewriter: Rewriter) => JsonObject
  /** Called after all keys have been translated. */
  readonly afterKeys?: (field: FieldContext) => void
  /** Rules for the keys of nested mappings, by the key of the mapping. */
  readonly nested?: Readonly<Record<string, FieldRules>>
  /** The card format whose keys are accepted as well. */
  readonly base?: CardFormat & { isKey(key: string): boolean }
  /** Returns the prompt for a body. */
  readonly readBody?: (body: string, field: FieldContext) => string
  readonly usesOwnValues?: CardFormat['usesOwnValues']
  readonly toolAlias?: CardFormat['toolAlias']
  readonly toleratesMissingParts?: true
  readonly needsEntry?: true
  readonly several?: CardFormat['several']
  readonly projectFiles?: CardFormat['projectFiles']
  readonly matchesProject?: CardFormat['matchesProject']
  readonly agentsFolder?: CardFormat['agentsFolder']
  readonly agentPaths?: CardFormat['agentPaths']
  readonly projectFolders?: CardFormat['projectFolders']
  readonly codeRoots?: CardFormat['codeRoots']
  readonly envFiles?: CardFormat['envFiles']
  readonly acceptsUnquotedText?: true
  readonly acceptsProse?: true
  readonly acceptsLongEnding?: true
  /** True if only the path or `dialect` selects the format. */
  readonly isByPathOnly?: true
  /** Rows for the keys of other files of the product, for the documentation. */
  readonly moreRows?: CardFormat['rows']
  /** Keys of a file that holds several agents. */
  readonly fileKeys?: readonly string[]
}

const SHARED: FieldRules = {
  dialect: drop('it selects the card format'),
  format: drop('it selects the card format'),
  $schema: drop('only editors use it'),
}
const NO_VALUE = 'it has no value'

/**
 * Creates a card format from its table. Unknown keys are reported; those that look misspelt get a warning.
 */
export function createCardFormat(definition: CardFormatTable): CardFormat {
  const { name, product, pathPatterns, rules, folder, ending } = definition
  const ruleOf = (key: string): FieldRule | undefined => getOwn(rules, key) ?? getOwn(SHARED, key)
  const isKey = (key: string): boolean => ruleOf(key) !== undefined || definition.base?.isKey(key) === true
  const known = Object.keys(rules)
  const hasAllKeys = ({ fields }: RawCard): boolean =>
    definition.isByPathOnly !== true &&
    Object.keys(fields).every((key) => definition.fileKeys?.includes(key) ?? isKey(key))
  return {
    name,
    product,
    pathPatterns,
    aliases: definition.base?.aliases ?? new Map(),
    rows: [...rowsOf(definition), ...(definition.moreRows ?? [])],
    matchesFolder: (path) => folder?.test(path) === true,
    matchesFileName: (path) => ending?.test(path) === true,
    extendsTroupe: definition.base !== undefined,
    hasAllKeys,
    accepts: (card) => hasAllKeys(card) && definition.acceptsValues?.(card) !== false,
    hasUniqueShape: (card) => definition.hasUniqueShape?.(card) === true,
    translate: (card) => translate(card, { definition, ruleOf, known, prefix: [] }),
    acceptsUnquotedText: definition.acceptsUnquotedText === true,
    acceptsProse: definition.acceptsProse === true,
    acceptsLongEnding: definition.acceptsLongEnding === true,
    toleratesMissingParts: definition.toleratesMissingParts === true,
    needsEntry: definition.needsEntry === true,
    ...(definition.usesOwnValues === undefined ? {} : { usesOwnValues: definition.usesOwnValues }),
    ...(definition.toolAlias === undefined ? {} : { toolAlias: definition.toolAlias }),
    ...(definition.several === undefined ? {} : { several: definition.several }),
    ...(definition.projectFiles === undefined ? {} : { projectFiles: definition.projectFiles }),
    ...(definition.matchesProject === undefined ? {} : { matchesProject: definition.matchesProject }),
    ...(definition.agentsFolder === undefined ? {} : { agentsFolder: definition.agentsFolder }),
    ...(definition.agentPaths === undefined ? {} : { agentPaths: definition.agentPaths }),
    ...(definition.projectFolders === undefined ? {} : { projectFolders: definition.projectFolders }),
    ...(definition.codeRoots === undefined ? {} : { codeRoots: definition.codeRoots }),
    ...(definition.envFiles === undefined ? {} : { envFiles: definition.envFiles }),
  }
}

function rowsOf({ rules, nested = {} }: CardFormatTable): CardFormat['rows'] {
  return Object.entries(rules).flatMap(([key, found]) => [
    rowOf(key, found),
    ...Object.entries(nested[key] ?? {}).map(([inner, rule]) => rowOf(`${key}.${inner}`, rule)),
  ])
}

function rowOf(key: string, found: FieldRule): CardFormat['rows'][number] {
  return { ...reportOf(key, found), ...(found.problem === undefined ? {} : { problem: found.problem }) }
}

function reportOf(key: string, { status, to, reason }: FieldRule): FieldReport {
  return {
    key,
    status,
    ...(to === undefined ? {} : { to }),
    ...(reason === undefined ? {} : { reason }),
  }
}

interface RuleTable {
  readonly definition: CardFormatTable
  readonly known: readonly string[]
  /** Path of the mapping whose keys these are. */
  readonly prefix: FieldPath
  ruleOf(key: string): FieldRule | undefined
}

function translate(card: RawCard, table: RuleTable): Translation {
  const { base, prepare, afterKeys, readBody, tools, asksForServers = false } = table.definition
  const entries = Object.entries(card.fields)
  const isOther = (key: string): boolean => table.ruleOf(key) === undefined && base?.isKey(key) === true
  const others = Object.fromEntries(entries.filter(([key]) => isOther(key)))
  const rewriter = createRewriter({
    ...(base?.translate({ ...card, fields: others }) ?? { fields: {}, report: [] }),
    sameValue: (a, b) => canonicalJson(a) === canonicalJson(b),
  })
  const fields = prepare?.(card.fields, rewriter) ?? card.fields
  const field = { rewriter, card: { ...card, fields }, grant: createToolPermissions(), from: [] }
  for (const [key, value] of Object.entries(fields))
    if (!isOther(key)) applyRule(key, value, { table, field })
  const body = card.body === undefined ? undefined : readBody?.(card.body, field)
  afterKeys?.(field)
  field.grant.finish(rewriter, { all: tools === 'all', asksForServers, from: ['tools'] })
  const translation = {
    ...rewriter.finish(),
    ...(field.grant.grantsUnlisted() ? { grantsUnlistedTools: true } : {}),
  }
  return body === undefined || body === card.body ? translation : { ...translation, body }
}

function applyRule(
  key: string,
  value: Json,
  { table, field }: { readonly table: RuleTable; readonly field: FieldContext },
): void {
  const from = [...table.prefix, key]
  const path = dottedPath(from)
  const found = table.ruleOf(key)
  if (found === undefined) return unknownKey(from, value, { table, field })
  if (value === null) return field.rewriter.note({ key: path, status: 'ignored', reason: NO_VALUE })
  const nested = table.prefix.length === 0 ? getOwn(table.definition.nested ?? {}, key) : undefined
  if (nested !== undefined && isJsonObject(value))
    return applyNested(key, { rules: nested, value, table, field })
  field.rewriter.note(reportOf(path, found))
  const outcome = found.apply?.(value, { ...field, from })
  if (outcome !== undefined) field.rewriter.note({ key: path, ...outcome })
}

function applyNested(
  key: string,
  mapping: {
    readonly rules: FieldRules
    readonly value: JsonObject
    readonly table: RuleTable
    readonly field: FieldContext
  },
): void {
  const { rules, value, table, field } = mapping
  if (Object.keys(value).length === 0) field.rewriter.note({ key, status: 'ignored', reason: 'it is empty' })
  const inner: RuleTable = {
    ...table,
    prefix: [key],
    known: Object.keys(rules),
    ruleOf: (name) => getOwn(rules, name),
  }
  for (const [name, member] of Object.entries(value)) applyRule(name, member, { table: inner, field })
}

function unknownKey(
  path: FieldPath,
  value: Json,
  { table, field: { rewriter, card } }: { readonly table: RuleTable; readonly field: FieldContext },
): void {
  const { definition } = table
  const { product, keySuggestions = {} } = definition
  const key = String(path.at(-1))
  const known = getOwn(keySuggestions, key)
  const near = known ?? closest(key, table.known) ?? similarOwnKey(path, definition)
  const own = path.length === 1 ? ownKeyOf(key) : undefined
  const isLost =
    known !== undefined && isRestriction(table.ruleOf(known)) && !Object.hasOwn(card.fields, known)
  if (own !== undefined && value !== null)
    rewriter.addProblem(ignoredOwnKeyProblem(path, own, { product, near }))
  else if (own === undefined && (near !== undefined || definition.refusesUnknownKeys === true))
    rewriter.addProblem({
      severity: isLost || definition.refusesUnknownKeys === true ? 'error' : 'warning',
      code: 'card_unknown_key',
      message: `Unknown key ${quotedPath(path)}${near === undefined ? '.' : `; did you mean \`${near}\`?`}`,
      at: path,
      fix: `Correct the key. The file is read as a card of ${product}.`,
    })
  const reason =
    own === undefined
      ? (definition.unknownKeyReason ?? `${product} has no such key`)
      : `it is a key of Troupe cards, but this file is a card of ${product}; write \`dialect: troupe\` to use it`
  rewriter.note({ key: dottedPath(path), status: 'ignored', reason })
}

/** Returns true for a key that restricts the agent. */
function isRestriction({ to = '' }: FieldRule = { status: 'ignored' }): boolean {
  return to.split(', ').some((path) => {
    const own = ownKeyOf(path.split('.', 1)[0] ?? '')
    return own !== undefined && !isSafeToIgnore(own)
  })
}

/** Suggests a Troupe key, if the format accepts them too. */
function similarOwnKey(path: FieldPath, { base }: CardFormatTable): string | undefined {
  const [key, ...inner] = path
  if (base === undefined || key === undefined || inner.length > 0) return undefined
  return suggestKey({ path: [], key: String(key) }, base.aliases)
}
