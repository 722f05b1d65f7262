import {
  isJsonTooDeep,
  MAX_JSON_DEPTH,
  parseDuration,
  troupeError,
  type Budget,
  type JsonObject,
} from '@troupe/schema'
import { load } from 'js-yaml'

/** The `--set key=value` options by key. A value is read as JSON or YAML where it is a scalar or written as `[…]` or `{…}`; all else is text. */
export function parseSettings(pairs: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [key, value] = splitPair(pair, '--set', 'limits.maxTurns=5')
      return [key, parseScalar(value, pair)]
    }),
  )
}

/** The `--env NAME=value` options by name. */
export function parseVariables(pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name, value] = splitPair(pair, '--env', 'OPENAI_API_KEY=sk-…')
      if (/^[A-Za-z_]\w{0,255}$/u.test(name)) return [name, value]
      throw troupeError('usage_invalid', `--env: "${name}" is not the name of a variable.`, {
        fix: 'Use letters, digits and _, not beginning with a digit.',
      })
    }),
  )
}

/** The `--arg key=value` options of a prompt by key; always text. */
export function parsePromptArguments(pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(pairs.map((pair) => splitPair(pair, '--arg', 'pr=7')))
}

/** A duration option in ms. */
export function parseDurationOption(value: string, option: string): number {
  const ms = parseDuration(value)
  if (ms !== undefined && ms > 0) return ms
  throw troupeError('usage_invalid', `${option} ${value}: this is not a duration.`, {
    fix: `Write a number and a unit, such as ${option} 60s or ${option} 5m.`,
  })
}

/** A whole number, 0 included. Throws `usage_invalid`. */
export function parseCountOption(value: string, option: string): number {
  const count = Number(value)
  if (value !== '' && Number.isSafeInteger(count) && count >= 0) return count
  throw troupeError('usage_invalid', `${option} ${value}: this is not a whole number.`)
}

/** `--max-cost` in USD and `--max-tokens` as a budget; both absent: none. */
export function parseBudgetOptions(options: {
  readonly maxCost?: string
  readonly maxTokens?: string
}): Budget {
  const { maxCost, maxTokens } = options
  return {
    ...(maxCost === undefined ? {} : { maxCost: parseAmount(maxCost, '--max-cost') }),
    ...(maxTokens === undefined ? {} : { maxTokens: Math.floor(parseAmount(maxTokens, '--max-tokens')) }),
  }
}

function parseAmount(value: string, option: '--max-cost' | '--max-tokens'): number {
  const amount = value.trim() === '' ? Number.NaN : Number(value)
  const least = option === '--max-cost' ? Number.MIN_VALUE : 1
  if (Number.isFinite(amount) && amount >= least) return amount
  throw troupeError('usage_invalid', `${option} ${value}: this is not a number above 0.`, {
    fix:
      option === '--max-cost'
        ? 'Write USD, such as --max-cost 0.5.'
        : 'Write a number, such as --max-tokens 50000.',
  })
}

/** A JSON object given as an option. */
export function parseJsonOption(value: string, option: string): JsonObject {
  let parsed: unknown
  try {
    parsed = JSON.parse(value)
  } catch {
    // what the parser says quotes the value, which may be secret
    throw troupeError('usage_invalid', `${option}: this is not JSON.`, {
      fix: `Write an object in quotes, such as ${option} '{"city": "Paris"}'.`,
    })
  }
  if (isJsonTooDeep(parsed))
    throw troupeError('usage_invalid', `${option}: the value is nested more than ${MAX_JSON_DEPTH} deep.`)
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as JsonObject
  throw troupeError('usage_invalid', `${option}: the arguments of a tool are a JSON object.`, {
    fix: `Write an object in quotes, such as ${option} '{"city": "Paris"}'.`,
  })
}

function splitPair(pair: string, option: string, example: string): readonly [string, string] {
  const at = pair.indexOf('=')
  if (at > 0) return [pair.slice(0, at).trim(), pair.slice(at + 1)]
  // what stands there may be a secret in the wrong place
  throw troupeError('usage_invalid', `${option}: there is no key and value.`, {
    fix: `Write ${option} ${example}.`,
  })
}

function parseScalar(value: string, pair: string): unknown {
  const isFlow = /^\s*[[{]/u.test(value)
  try {
    const parsed = load(value)
    return isFlow || parsed === null || typeof parsed !== 'object' ? parsed : value
  } catch {
    // not YAML, such as an empty value: plain text
    if (!isFlow) return value
    throw troupeError(
      'usage_invalid',
      `--set ${pair.split('=', 1)[0] ?? ''}: the value is neither JSON nor YAML.`,
      {
        fix: 'Check its brackets and quotes.',
      },
    )
  }
}
