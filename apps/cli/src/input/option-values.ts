import { parseDuration, troupeError, type Budget, type JsonObject } from '@troupe/schema'
import { isJsonTooDeep, MAX_JSON_DEPTH } from '@troupe/schema/json'
import { load } from 'js-yaml'

/**
 * Parses `--set key=value` options. A value is read as JSON or YAML if it is a scalar or written as `[…]` or
 * `{…}`; otherwise it is text.
 */
export function parseSettings(pairs: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [key, value] = splitPair(pair, '--set', 'limits.maxTurns=5')
      return [key, parseScalar(value, pair)]
    }),
  )
}

/** Parses `--env NAME=value` options. */
export function parseVariables(pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name, value] = splitPair(pair, '--env', 'OPENAI_API_KEY=sk-…')
      if (/^[A-Za-z_]\w{0,255}$/u.test(name)) return [name, value]
      throw troupeError('usage_invalid', `--env: "${name}" is not a valid variable name.`, {
        fix: 'Use letters, digits and _. The first character must not be a digit.',
      })
    }),
  )
}

/** Parses the `--arg key=value` options of a prompt. Values are always text. */
export function parsePromptArguments(pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(pairs.map((pair) => splitPair(pair, '--arg', 'pr=7')))
}

/** Parses a duration option to ms. Throws `usage_invalid`. */
export function parseDurationOption(value: string, option: string): number {
  const ms = parseDuration(value)
  if (ms !== undefined && ms > 0) return ms
  throw troupeError('usage_invalid', `${option}: "${value}" is not a duration.`, {
    fix: `Write a number and a unit, such as ${option} 60s or ${option} 5m.`,
  })
}

/** Parses a whole number, 0 included. Throws `usage_invalid`. */
export function parseCountOption(value: string, option: string): number {
  const count = Number(value)
  if (value !== '' && Number.isSafeInteger(count) && count >= 0) return count
  throw troupeError('usage_invalid', `${option}: "${value}" is not a whole number.`)
}

/** Parses `--max-cost` (USD) and `--max-tokens` into a budget, which is empty without them. */
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
  const minimum = option === '--max-cost' ? Number.MIN_VALUE : 1
  if (Number.isFinite(amount) && amount >= minimum) return amount
  throw troupeError('usage_invalid', `${option}: "${value}" is not a number above 0.`, {
    fix:
      option === '--max-cost'
        ? 'Write an amount in USD, such as --max-cost 0.5.'
        : 'Write a number, such as --max-tokens 50000.',
  })
}

/** Parses a JSON object given as an option. Throws `usage_invalid`. */
export function parseJsonOption(value: string, option: string): JsonObject {
  let parsed: unknown
  try {
    parsed = JSON.parse(value)
  } catch {
    // Omit the parser's message: it quotes the value, which may be a secret.
    throw troupeError('usage_invalid', `${option}: the value is not valid JSON.`, {
      fix: `Write an object in quotes, such as ${option} '{"city": "Paris"}'.`,
    })
  }
  if (isJsonTooDeep(parsed))
    throw troupeError(
      'usage_invalid',
      `${option}: the value is nested more than ${MAX_JSON_DEPTH} levels deep.`,
    )
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as JsonObject
  throw troupeError('usage_invalid', `${option}: the value must be a JSON object.`, {
    fix: `Write an object in quotes, such as ${option} '{"city": "Paris"}'.`,
  })
}

function splitPair(pair: string, option: string, example: string): readonly [string, string] {
  const at = pair.indexOf('=')
  if (at > 0) return [pair.slice(0, at).trim(), pair.slice(at + 1)]
  // Do not quote the value: it may be a secret in the wrong place.
  throw troupeError('usage_invalid', `${option}: the value must be a key and a value.`, {
    fix: `Write ${option} ${example}.`,
  })
}

function parseScalar(value: string, pair: string): unknown {
  const isFlow = /^\s*[[{]/u.test(value)
  try {
    const parsed = load(value)
    return isFlow || parsed === null || typeof parsed !== 'object' ? parsed : value
  } catch {
    // Not YAML, so it is plain text.
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

const DEFAULT_PORT = '7788'
const LAST_PORT = 65_535

/** Parses `--port`. Throws `usage_invalid` if it is not a port number. */
export function readPort(port: string = DEFAULT_PORT): number {
  const number = Number(port)
  if (/^\d{1,5}$/u.test(port) && number <= LAST_PORT) return number
  throw troupeError('usage_invalid', `--port: "${port}" is not a number from 0 to ${LAST_PORT}.`)
}
