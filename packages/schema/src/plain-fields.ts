import { AGENT_MODES, AGENT_TYPES, HISTORY_MODES, RUNTIME_TOOLS } from './agent.ts'
import { parseDuration } from './duration.ts'
import { isJsonObject } from './json.ts'
import { isSemver } from './semver.ts'

/** The value as the schema of its key would give it; undefined for one that is not plain, right or wrong. */
export type PlainReader = (value: unknown) => unknown

const NAME = /^[\w-]{1,100}$/u

const name: PlainReader = (value) => (typeof value === 'string' && NAME.test(value) ? value : undefined)
const text: PlainReader = (value) => (typeof value === 'string' ? value : undefined)
const someText: PlainReader = (value) => (isText(value) && value !== '' ? value : undefined)
const flag: PlainReader = (value) => (typeof value === 'boolean' ? value : undefined)
const texts: PlainReader = (value) => (isTexts(value) ? value : undefined)
const count: PlainReader = (value) => (Number.isSafeInteger(value) && Number(value) >= 0 ? value : undefined)
const positive: PlainReader = (value) => (count(value) === 0 ? undefined : count(value))
const upToOne: PlainReader = (value) =>
  typeof value === 'number' && value >= 0 && value <= 1 ? value : undefined
const duration: PlainReader = parseDuration

/** The values that most cards have, by key: the schemas know what else there may be, and what is wrong. */
export const PLAIN_FIELDS: Readonly<Record<string, PlainReader>> = {
  name,
  description: text,
  usage: text,
  version: (value) => (isText(value) && isSemver(value) ? value : undefined),
  type: oneOf(AGENT_TYPES),
  mode: oneOf(AGENT_MODES),
  default: flag,
  hidden: flag,
  model: (value) => someText(value) ?? someTexts(value),
  temperature: upToOne,
  topP: upToOne,
  maxOutputTokens: positive,
  agents: someTexts,
  servers: texts,
  tools: (value) => (isJsonObject(value) ? listsByKey(value) : (text(value) ?? texts(value))),
  functionTools: someTexts,
  toolHooks: someTexts,
  skills: texts,
  historyMode: oneOf(HISTORY_MODES),
  toolPermission: oneOf(['always', 'tool', 'never']),
  requiresApproval: texts,
  runtimeTools: (value) => (isTexts(value) && value.every(isRuntimeTool) ? value : undefined),
  store: oneOf(['none', 'metadata', 'full']),
  env: texts,
}

/** The same for the keys of `limits`. */
export const PLAIN_LIMITS: Readonly<Record<string, PlainReader>> = {
  maxTurns: positive,
  maxToolCallsPerTurn: positive,
  maxParallel: positive,
  parallelToolCalls: flag,
  maxDepth: count,
  maxRuns: positive,
  hookTimeout: duration,
  llmTimeout: duration,
  toolTimeout: duration,
  childTimeout: duration,
  idleTimeout: duration,
  timeout: duration,
  maxRetries: count,
  approvalTimeout: duration,
  maxTokens: positive,
  maxToolResultBytes: positive,
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText)
}

function isRuntimeTool(value: string): boolean {
  return (RUNTIME_TOOLS as readonly string[]).includes(value)
}

function someTexts(value: unknown): readonly string[] | undefined {
  return isTexts(value) && value.length > 0 && !value.includes('') ? value : undefined
}

function oneOf(words: readonly string[]): PlainReader {
  return (value) => (isText(value) && words.includes(value) ? value : undefined)
}

function listsByKey(value: object): object | undefined {
  return Object.values(value).every(isTexts) ? value : undefined
}
