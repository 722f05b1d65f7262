import { isJsonObject, parseDuration, type Json, type JsonObject } from '@troupe/schema'
import { AGENT_KEYS } from '@troupe/schema/agent-keys'
import type { FieldReport } from '../card/card-types.ts'
import { dottedPath, type FieldPath } from '../card/problem.ts'
import type { CardFormat, RawCard, ToolAlias, Translation } from './card-format.ts'
import { INHERITED_MODEL, aliasedModel, putModels, type ReadModel } from './put-models.ts'
import { createRewriter, type Rewriter } from './rewriter.ts'
import { textList } from './text-list.ts'
import { createToolPermissions } from './tool-permissions.ts'
import {
  DURATIONS,
  IGNORED,
  IGNORED_PARAMS,
  NESTED_ALIASES,
  REQUEST_PARAMS,
  TOP_ALIASES,
  type Alias,
} from './troupe-aliases.ts'

/** Reports of Troupe's own keys, shared by all cards. */
const HONOURED: ReadonlyMap<string, FieldReport> = new Map(
  AGENT_KEYS.map((key) => [key, Object.freeze({ key, status: 'honoured' })]),
)
/** Keys whose entries are interpreted by their shape. */
const BY_SHAPE: ReadonlySet<string> = new Set([
  'functionTools',
  'loopHooks',
  'mcpServers',
  'skills',
  'toolHooks',
])
const NO_ORIGINS: Translation['origins'] = new Map()
const PYTHON_SPEC = /^(?<module>[^:]+)\.py:[^:]+$/u

/**
 * Card format of Troupe, including alternative spellings: snake case, `_sec`, and those of other products.
 */
export const troupeFormat: CardFormat & { isKey(key: string): boolean } = {
  name: 'troupe',
  product: 'Troupe',
  pathPatterns: ['*.md', '*.ai', '*.yaml', '*.json'],
  rows: [
    ...HONOURED.values(),
    ...[...TOP_ALIASES].map(([key, { to }]) => ({ key, status: 'translated' as const, to: dottedPath(to) })),
    ...[...IGNORED].map(([key, reason]) => ({ key, status: 'ignored' as const, reason })),
  ],
  aliases: new Map([...TOP_ALIASES].map(([alias, { to }]) => [alias, dottedPath(to)])),
  matchesFolder: () => false,
  matchesFileName: () => false,
  hasUniqueShape: () => false,
  isKey,
  extendsTroupe: true,
  hasAllKeys,
  accepts: (card) => hasAllKeys(card) && !definesAgents(card.fields),
  translate,
}

/** Returns true for `agents` that define agents inline. In Troupe cards, `agents` is a list of names. */
export function definesAgents({ agents }: JsonObject): boolean {
  return isJsonObject(agents) && Object.values(agents).every(isJsonObject)
}

function hasAllKeys({ fields }: RawCard): boolean {
  return Object.keys(fields).every(isKey)
}

function isKey(key: string): boolean {
  return HONOURED.has(key) || isSpecial(key)
}

function translate(card: RawCard): Translation {
  const { fields } = card
  if (isPlain(fields)) return { fields, report: reportOf(fields), problems: [], origins: NO_ORIGINS }
  const written = Object.entries(fields)
  const special = written.filter(([key]) => isSpecial(key))
  const plain = special.length === 0 ? fields : Object.fromEntries(written.filter(([key]) => !isSpecial(key)))
  const report = reportOf(fields)
  const rewriter = createRewriter({ fields: plain, report, sameValue: isSameDuration })
  for (const [key, value] of special) translateKey(rewriter, key, value)
  for (const [path, aliases] of NESTED_ALIASES) {
    for (const mapping of matches(rewriter, path)) translateMapping(rewriter, mapping, aliases)
  }
  moveObjects(rewriter, { from: 'tools', to: ['exports', 'tools'], isMoved: (item) => 'prompt' in item })
  moveObjects(rewriter, {
    from: 'skills',
    to: ['exports', 'skills'],
    isMoved: (item) => !Object.hasOwn(item, 'text'),
  })
  notePythonSpecs(rewriter)
  translateModels(rewriter, card)
  translateTools(rewriter, card)
  return sortReport(
    rewriter.finish(),
    written.map(([key]) => key),
  )
}

/** Returns true if no key needs translation. Keys that are interpreted by shape count as needing it. */
function isPlain(fields: JsonObject): boolean {
  return Object.keys(fields).every(
    (key) => !isSpecial(key) && !BY_SHAPE.has(key) && !hasAlias(key, fields[key]),
  )
}

/**
 * Returns true if a key or its value may need translation. A mapping of `tools` filters servers; anything
 * else may name tools of other products.
 */
function hasAlias(key: string, value: Json | undefined): boolean {
  if (key === 'tools') return !isJsonObject(value)
  if (key === 'model') return namesAlias(value)
  if (key === 'context' && isJsonObject(value) && namesAlias(value['model'])) return true
  const aliases = NESTED_ALIASES.get(key)
  return (
    aliases !== undefined && isJsonObject(value) && Object.keys(value).some((member) => aliases.has(member))
  )
}

function reportOf(fields: JsonObject): readonly FieldReport[] {
  return Object.keys(fields).flatMap((key) => HONOURED.get(key) ?? [])
}

const MODEL_KEYS: readonly (readonly [FieldPath, ReadModel])[] = [
  [['model'], aliasedModel],
  [
    ['context', 'model'],
    (name, names) =>
      name === INHERITED_MODEL ? { default: 'the model of the agent' } : aliasedModel(name, names),
  ],
]

/** Replaces short names of models, unless the configuration defines these names. */
function translateModels(rewriter: Rewriter, card: RawCard): void {
  for (const [path, read] of MODEL_KEYS) {
    const value = rewriter.get(path)
    if (!namesAlias(value)) continue
    const from = rewriter.originOf(path)
    rewriter.remove(path)
    const field = { rewriter, card, grant: createToolPermissions(), from }
    const outcome = putModels(value, { to: path, read }, field)
    if (outcome !== undefined) rewriter.note({ key: dottedPath(from), ...outcome })
  }
}

function namesAlias(value: Json | undefined): value is Json {
  const names = Array.isArray(value) ? (value as readonly Json[]) : [value]
  return names.some((name) => typeof name === 'string' && aliasedModel(name, NO_NAMES) !== undefined)
}

const NO_NAMES: ReadonlySet<string> = new Set()

/** Translates an allow-list that names tools as another product does. */
function translateTools(rewriter: Rewriter, card: RawCard): void {
  const tools = rewriter.get(['tools'])
  const names = tools === undefined || isJsonObject(tools) ? undefined : textList(tools, ['tools'])
  if (names === undefined || !names.some(({ text }) => toolAlias(text, card) !== undefined)) return
  rewriter.remove(['tools'])
  const grant = createToolPermissions()
  const field = { rewriter, card, grant, from: ['tools'] }
  for (const { text, at } of names) {
    const alias = toolAlias(text, card)
    if (alias === undefined) grant.allow([text], at)
    else rewriter.note({ ...alias(at, field), key: `tools: ${text}` })
  }
  grant.limit()
  grant.finish(rewriter, { all: false, from: ['tools'] })
}

/** Returns the equivalent of a tool name that only another product uses. */
function toolAlias(name: string, { formats }: RawCard): ToolAlias | undefined {
  for (const format of formats?.formats ?? []) {
    const alias = format.toolAlias?.(name)
    if (alias !== undefined) return alias
  }
  return undefined
}

function sortReport(translation: Translation, keys: readonly string[]): Translation {
  const { report } = translation
  if (report.every((entry) => entry.status === 'honoured')) return translation
  const position = ({ key }: FieldReport): number => keys.indexOf(key.split('.', 1)[0] ?? '')
  return { ...translation, report: report.toSorted((a, b) => position(a) - position(b)) }
}

function isSpecial(key: string): boolean {
  return TOP_ALIASES.has(key) || IGNORED.has(key) || key === 'request_params'
}

function translateKey(rewriter: Rewriter, key: string, value: Json): void {
  const reason = IGNORED.get(key)
  const alias = TOP_ALIASES.get(key)
  if (reason !== undefined) rewriter.note({ key, status: 'ignored', reason })
  else if (alias !== undefined && value === null)
    rewriter.note({ key, status: 'ignored', reason: 'it has no value' })
  else if (alias !== undefined) move(rewriter, { alias, value, from: [key] })
  else if (isJsonObject(value)) translateRequest(rewriter, key, value)
  else rewriter.put([key], value, [key])
}

function move(
  rewriter: Rewriter,
  what: { readonly alias: Alias; readonly value: Json; readonly from: FieldPath },
): void {
  const { alias, value, from } = what
  rewriter.put(alias.to, alias.convert?.(value) ?? value, from)
  rewriter.note({ key: dottedPath(from), status: 'translated', to: dottedPath(alias.to) })
}

function translateRequest(rewriter: Rewriter, key: string, params: JsonObject): void {
  for (const [param, value] of Object.entries(params)) {
    const from = [key, param]
    const alias = REQUEST_PARAMS.get(param)
    const reason = IGNORED.get(param) ?? IGNORED_PARAMS.get(param)
    if (alias !== undefined) move(rewriter, { alias, value, from })
    else if (reason !== undefined) rewriter.note({ key: dottedPath(from), status: 'ignored', reason })
    else rewriter.put(from, value, from)
  }
}

/** Returns the paths of the mappings that a path stands for; `*` at its end is any key. */
function matches(rewriter: Rewriter, path: string): readonly FieldPath[] {
  if (!path.endsWith('.*')) return [[path]]
  const parent = path.slice(0, -2)
  const mapping = rewriter.get([parent])
  return isJsonObject(mapping) ? Object.keys(mapping).map((key) => [parent, key]) : []
}

function translateMapping(rewriter: Rewriter, path: FieldPath, aliases: ReadonlyMap<string, Alias>): void {
  const mapping = rewriter.get(path)
  if (!isJsonObject(mapping)) return
  for (const [key, value] of Object.entries(mapping)) {
    const alias = aliases.get(key)
    if (alias === undefined) continue
    const from = rewriter.originOf([...path, key])
    rewriter.remove([...path, key])
    move(rewriter, { alias: { ...alias, to: [...path, ...alias.to] }, value, from })
  }
}

/** Moves the objects in `tools` and `skills`, which define what the agent itself exports. */
function moveObjects(
  rewriter: Rewriter,
  rule: { readonly from: string; readonly to: FieldPath; isMoved(item: JsonObject): boolean },
): void {
  const list = rewriter.get([rule.from])
  if (!Array.isArray(list)) return
  const items = (list as readonly Json[]).map((item, index) => ({ item, index }))
  const moved = items.filter(({ item }) => isJsonObject(item) && rule.isMoved(item))
  if (moved.length === 0) return
  const origin = rewriter.originOf([rule.from])
  const entries = items.filter((entry) => !moved.includes(entry))
  rewriter.remove([rule.from])
  if (entries.length > 0) putItems(rewriter, { to: [rule.from], entries, origin })
  putItems(rewriter, { to: rule.to, entries: moved, origin })
  const reason = entries.length > 0 ? { reason: 'only the objects in the list; its names stay' } : {}
  rewriter.note({ key: dottedPath(origin), status: 'translated', to: dottedPath(rule.to), ...reason })
}

function putItems(
  rewriter: Rewriter,
  list: {
    readonly to: FieldPath
    readonly entries: readonly { readonly item: Json; readonly index: number }[]
    readonly origin: FieldPath
  },
): void {
  rewriter.put(
    list.to,
    list.entries.map(({ item }) => item),
    list.origin,
  )
  for (const [at, { index }] of list.entries.entries())
    rewriter.locate([...list.to, at], [...list.origin, index])
}

/** Reports which module `x.py:function` is loaded from. */
function notePythonSpecs(rewriter: Rewriter): void {
  for (const key of ['functionTools', 'toolHooks', 'loopHooks']) {
    const specs = rewriter.get([key])
    if (typeof specs !== 'object' || specs === null) continue
    for (const [at, spec] of Object.entries(specs)) {
      const groups = typeof spec === 'string' ? PYTHON_SPEC.exec(spec)?.groups : undefined
      const module = groups?.['module']
      if (module === undefined) continue
      rewriter.note({
        key: dottedPath([...rewriter.originOf([key]), at]),
        status: 'honoured',
        reason: `the first of ${module}.ts, .mts, .js and .mjs beside the card is loaded, else ${module}.py`,
      })
    }
  }
}

function isSameDuration(a: Json, b: Json, path: FieldPath): boolean {
  const duration = parseDuration(a)
  return DURATIONS.includes(String(path.at(-1))) && duration !== undefined && duration === parseDuration(b)
}
