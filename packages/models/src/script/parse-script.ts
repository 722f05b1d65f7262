import { readFileSync } from 'node:fs'
import { errorMessage, troupeError, type TroupeError } from '@troupe/schema'
import { closest } from '@troupe/schema/text'
import { load, YAMLException } from 'js-yaml'
import { scriptSchema, type ModelScript, type ScriptFileStep, type ScriptStep } from './script-schema.ts'
import { findBadPlaceholder } from './template.ts'
import type { z } from 'zod'

const MAX_BYTES = 1024 * 1024

/** Reads a script from `known` or from its file. Throws `model_script_invalid`. */
export function readScript(file: string, known?: ReadonlyMap<string, string>): ModelScript {
  return parseScript(known?.get(file) ?? readText(file), file)
}

function readText(file: string): string {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    throw invalidScript(file, `the script cannot be read: ${errorMessage(error)}`, error)
  }
  if (bytes.length > MAX_BYTES) throw invalidScript(file, 'a script is at most 1 MiB')
  return bytes.toString('utf8')
}

/** Parses a script. Throws `model_script_invalid` with file, agent, step and key. */
export function parseScript(text: string, file: string): ModelScript {
  const parsed = scriptSchema.safeParse(parseYaml(text, file))
  if (!parsed.success) throw invalidScript(file, describeIssues(parsed.error.issues))
  const { agents = {}, rules = [] } = parsed.data
  const script = {
    file,
    agents: new Map(Object.entries(agents).map(([name, steps]) => [name, steps.map(toStep)])),
    rules: rules.map((rule) => ({ ...toStep(rule), when: rule.when })),
  }
  for (const [agent, steps] of script.agents)
    for (const [index, step] of steps.entries()) checkPlaceholders(step, stepLocation(agent, index), file)
  for (const [index, rule] of script.rules.entries()) checkPlaceholders(rule, ruleLocation(index), file)
  return script
}

function parseYaml(text: string, file: string): unknown {
  try {
    return load(text, { maxDepth: 50, maxAliases: 100 })
  } catch (error) {
    if (!(error instanceof YAMLException)) throw invalidScript(file, 'this is not valid YAML', error)
    const { mark, reason } = error
    const location = mark === undefined ? '' : `line ${mark.line + 1}, column ${mark.column + 1}: `
    throw invalidScript(file, `${location}${reason}`, error)
  }
}

function toStep(step: ScriptFileStep): ScriptStep {
  const { say, call, fail, delay, usage } = step
  return {
    ...(say === undefined ? {} : { say }),
    ...(call === undefined ? {} : { call: call.map(({ tool, args = {} }) => ({ tool, args })) }),
    ...(fail === undefined ? {} : { fail }),
    ...(delay === undefined ? {} : { delay }),
    ...(usage === undefined ? {} : { usage }),
  }
}

function checkPlaceholders({ say, call }: ScriptStep, location: string, file: string): void {
  const problem = findBadPlaceholder([say, call])
  if (problem !== undefined) throw invalidScript(file, `${location}: ${problem}`)
}

/** Each key of a script, and the place where it belongs. */
const KEY_PLACES: ReadonlyMap<string, string> = new Map([
  ...['agents', 'rules'].map((key) => [key, 'the top level of the script'] as const),
  ['when', 'a rule in `rules`'],
  ...['say', 'call', 'fail', 'delay', 'usage'].map((key) => [key, 'a step or a rule'] as const),
  ...['tool', 'args'].map((key) => [key, 'an entry of `call`'] as const),
  ...['status', 'retryAfter', 'message'].map((key) => [key, '`fail`'] as const),
  ...['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning'].map((key) => [key, '`usage`'] as const),
])
const MAX_SHOWN = 3

/** Creates a `model_script_invalid` error with the file name in front of the message. */
export function invalidScript(file: string, message: string, cause?: unknown): TroupeError {
  return troupeError('model_script_invalid', `${file}: ${message}`, cause === undefined ? {} : { cause })
}

/** Returns the location of a step for messages. */
export function stepLocation(agent: string, index: number): string {
  return `agents.${agent}, step ${index + 1}`
}

/** Returns the location of a rule for messages. */
export function ruleLocation(index: number): string {
  return `rules, rule ${index + 1}`
}

/** Describes schema issues with agent, step and key. */
function describeIssues(issues: readonly z.core.$ZodIssue[]): string {
  const named = issues.filter((issue) => !followsFromTypo(issue, issues))
  const shown = named.slice(0, MAX_SHOWN).map(describeIssue)
  const rest = named.length - shown.length
  return shown.join('; ') + (rest > 0 ? `; and ${rest} more` : '')
}

/**
 * Returns true for the issue "does nothing" of a step with an unknown key, because the unknown key explains
 * it.
 */
function followsFromTypo(issue: z.core.$ZodIssue, issues: readonly z.core.$ZodIssue[]): boolean {
  const location = describePath(issue.path)
  return (
    issue.code === 'custom' &&
    issues.some((other) => other.code === 'unrecognized_keys' && describePath(other.path) === location)
  )
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const location = describePath(issue.path)
  const what = issue.code === 'unrecognized_keys' ? unknownKeys(issue.keys) : issue.message
  return location === '' ? what : `${location}: ${what}`
}

function unknownKeys(keys: readonly string[]): string {
  return keys.map(unknownKey).join(', ')
}

function unknownKey(key: string): string {
  const place = KEY_PLACES.get(key)
  if (place !== undefined) return `key "${key}" is not allowed here; it belongs to ${place}`
  const meant = closest(key, [...KEY_PLACES.keys()])
  return `unknown key "${key}"${meant === undefined ? '' : `; did you mean "${meant}"?`}`
}

function describePath(path: readonly PropertyKey[]): string {
  const [section, first, second] = path
  if (section === 'agents' && typeof second === 'number')
    return withRest(stepLocation(String(first), second), path.slice(3))
  if (section === 'rules' && typeof first === 'number') return withRest(ruleLocation(first), path.slice(2))
  return path.map(String).join('.')
}

/** Appends the rest of the path, with one-based list indexes: `call 2 tool`. */
function withRest(location: string, rest: readonly PropertyKey[]): string {
  const inner = rest.map((key) => (typeof key === 'number' ? key + 1 : String(key))).join(' ')
  return inner === '' ? location : `${location}, ${inner}`
}
