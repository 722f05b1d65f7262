import { closest, troupeError, type TroupeError } from '@troupe/schema'
import type { z } from 'zod'

const KEYS =
  'agents rules when say call tool args fail status retryAfter message delay usage input output cacheRead cacheWrite reasoning'.split(
    ' ',
  )
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
export function describeIssues(issues: readonly z.core.$ZodIssue[]): string {
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
  const meant = closest(key, KEYS)
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
