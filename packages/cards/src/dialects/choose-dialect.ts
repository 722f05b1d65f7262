import { canonicalJson, isJsonObject, type Json } from '@troupe/schema'
import { aiAgentDialect } from './ai-agent.ts'
import { claudeCodeDialect } from './claude-code.ts'
import { copilotDialect } from './copilot.ts'
import type { Dialect, DialectInput } from './dialect.ts'
import { dockerAgentDialect } from './docker/docker-agent.ts'
import { fastAgentDialect } from './fast-agent.ts'
import { definesAgents, hasForeignValue } from './foreign-values.ts'
import { geminiDialect } from './gemini.ts'
import { gooseDialect } from './goose.ts'
import { opencodeDialect } from './opencode.ts'
import { textList } from './text-list.ts'
import { troupeDialect } from './troupe.ts'
import { tsagentDialect } from './tsagent.ts'

/** Card formats of other products. */
const FOREIGN: readonly Dialect[] = [
  fastAgentDialect,
  aiAgentDialect,
  tsagentDialect,
  claudeCodeDialect,
  opencodeDialect,
  copilotDialect,
  geminiDialect,
  gooseDialect,
  dockerAgentDialect,
]

/** All card formats, Troupe's first. */
export const DIALECTS: readonly Dialect[] = [troupeDialect, ...FOREIGN]

/** A path that may belong to another product's format. Others need not be tested against each format. */
const OTHER_PATH = /(?:^|\/)(?:\.|opencode\/)|opencode\.jsonc?$|\.(?:ai|agent\.md|chatmode\.md)$/iu

/** A chosen card format and the reason for the choice. */
export interface DialectChoice {
  readonly dialect: Dialect
  /**
   * `values`: chosen only by values, such as tool names, under keys that several formats have. `default`: no
   * other format applies.
   */
  readonly by: 'name' | 'path' | 'keys' | 'values' | 'default'
  /**
   * A format that fits the values but was not chosen, because it would give the agent tools that it does not
   * have as a Troupe card.
   */
  readonly alternative?: Dialect
}

/**
 * Chooses the format of a card: the one named by `dialect` or `format`, else the one that documents the
 * folder or file name, else the only one that has the keys of the file, else Troupe's. A Troupe key that a
 * format lacks excludes that format. Values decide only if the agent gets no tool that it does not have as a
 * Troupe card.
 */
export function chooseDialect(card: DialectInput): DialectChoice {
  const named = namedDialect(card)
  if (named !== undefined) return { dialect: named, by: 'name' }
  const byPath = dialectOfPath(card)
  return byPath === undefined ? dialectOfContent(card) : { dialect: byPath, by: 'path' }
}

/** Returns the name of the format that documents this path, or Troupe's for any other path. */
export function dialectOfFile(path: string): string {
  const file = path.replaceAll('\\', '/')
  const found =
    FOREIGN.find((dialect) => dialect.isAt(file)) ?? FOREIGN.find((dialect) => dialect.endsLike(file))
  return (found ?? troupeDialect).name
}

/** Returns the valid values of `dialect`. */
export function dialectNames(): readonly string[] {
  return DIALECTS.map((dialect) => dialect.name)
}

/**
 * Returns true for a card in the format of another product, unless the format allows several agents per file
 * and the file has none.
 */
export function isForeign(card: DialectInput): boolean {
  const { dialect } = chooseDialect(card)
  return dialect !== troupeDialect && dialect.several?.(card)?.length !== 0
}

function namedDialect({ fields }: DialectInput): Dialect | undefined {
  const name = fields['dialect'] ?? fields['format']
  return name === undefined ? undefined : DIALECTS.find((dialect) => dialect.name === name)
}

function dialectOfPath(card: DialectInput): Dialect | undefined {
  const path = card.path.replaceAll('\\', '/')
  if (!OTHER_PATH.test(path)) return undefined
  const inFolder = FOREIGN.find((dialect) => dialect.isAt(path))
  if (inFolder !== undefined) return inFolder
  const ending = FOREIGN.find((dialect) => dialect.endsLike(path))
  return ending === undefined || ending.covers(card) || !troupeDialect.covers(card) ? ending : troupeDialect
}

const OWN: DialectChoice = { dialect: troupeDialect, by: 'default' }

function dialectOfContent(card: DialectInput): DialectChoice {
  const isOwn = troupeDialect.covers(card)
  if (isOwn && !hasForeignValue(card)) return OWN
  const covering = FOREIGN.filter((dialect) => dialect.covers(card))
  const found = covering.length > 0 ? covering : FOREIGN.filter((dialect) => isMarked(dialect, card))
  const [dialect, ...others] = found
  if (dialect === undefined || others.length > 0) return OWN
  if (isMarked(dialect, card) || definesAgents(card.fields)) return { dialect, by: 'keys' }
  if (!isOwn && FOREIGN.filter((other) => other.hasKeys(card)).length === 1) return { dialect, by: 'keys' }
  if (!keepsOwnKeys(dialect, card)) return OWN
  return grantsNoMore(dialect, card) ? { dialect, by: 'values' } : { ...OWN, alternative: dialect }
}

/**
 * Returns true if the card has a shape unique to the format, and the format has every Troupe key of the card.
 */
function isMarked(dialect: Dialect, card: DialectInput): boolean {
  const own = Object.entries(card.fields).filter(([key]) => troupeDialect.isKey(key))
  return dialect.isMarked(card) && dialect.hasKeys({ ...card, fields: Object.fromEntries(own) })
}

/** Keys whose entries grant an agent access to tools or agents. */
const GRANTING = ['tools', 'runtimeTools', 'servers', 'agents'] as const

/** Returns true if the format grants the agent nothing that it does not have as a Troupe card. */
function grantsNoMore(dialect: Dialect, card: DialectInput): boolean {
  const input = { ...card, readText: undefined }
  const { fields } = dialect.translate(input)
  const { fields: own } = troupeDialect.translate(input)
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
function keepsOwnKeys({ rows, extendsOurs }: Dialect, { fields }: DialectInput): boolean {
  if (extendsOurs) return true
  const statuses = new Map(rows.map(({ key, status }) => [key, status]))
  return Object.keys(fields).every((key) => {
    const status = statuses.get(key)
    const isSame = status === 'honoured' || (status === 'translated' && RECOGNIZED_BY_VALUE.has(key))
    return isSame || key === '$schema' || !troupeDialect.isKey(key)
  })
}
