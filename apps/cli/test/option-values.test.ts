import { TroupeError } from '@troupe/schema'
import { assert, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  parseBudgetOptions,
  parseDurationOption,
  parseJsonOption,
  parseSettings,
  parseVariables,
} from '../src/input/option-values.ts'

const misuse = expect.objectContaining({ code: 'usage_invalid' })

/** Returns the keys that were read; the keys of a refusal are separate. */
function tryKeys(pair: string): readonly string[] {
  try {
    return Object.keys(parseSettings([pair]))
  } catch (thrown) {
    return TroupeError.isInstance(thrown) && thrown.code === 'usage_invalid' ? ['key'] : [String(thrown)]
  }
}

it('--args rejects JSON that is nested too deeply', () => {
  const nest = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
  expect(parseJsonOption(nest(64), '--args')).toEqual(JSON.parse(nest(64)))
  for (const levels of [65, 100_000]) expect(() => parseJsonOption(nest(levels), '--args')).toThrow(misuse)
})

describe('--set', () => {
  it.each([
    ['limits.maxTurns=5', 'limits.maxTurns', 5],
    ['hidden=true', 'hidden', true],
    ['description=null', 'description', null],
    ['limits.timeout=90s', 'limits.timeout', '90s'],
    ['version="1.10"', 'version', '1.10'],
    ['agents=[a, b]', 'agents', ['a', 'b']],
    ['tools={tm: [now]}', 'tools', { tm: ['now'] }],
    ['instruction=Say: hello', 'instruction', 'Say: hello'],
    ['instruction=# a title', 'instruction', '# a title'],
    ['instruction=a=b', 'instruction', 'a=b'],
    ['instruction=', 'instruction', ''],
  ])('--set %s sets the key', (pair, key, value) => {
    expect(parseSettings([pair])).toEqual({ [key]: value })
  })

  it('--set rejects a value without a key or with broken brackets', () => {
    for (const pair of ['limits', '=5', 'agents=[a']) {
      expect(() => parseSettings([pair])).toThrow(misuse)
    }
  })

  it('--set does not let a key change the prototype', () => {
    const settings = parseSettings(['__proto__={"polluted": true}'])
    expect(Object.hasOwn(settings, '__proto__')).toBe(true)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('--set parses any text or throws a usage error', () => {
    assert(
      property(string(), (text) => {
        expect(tryKeys(`key=${text}`)).toEqual(['key'])
      }),
    )
  })
})

describe('--env', () => {
  it('--env takes everything after the first =', () => {
    expect(parseVariables(['TOKEN=a=b', 'EMPTY='])).toEqual({ TOKEN: 'a=b', EMPTY: '' })
  })

  it.each(['TOKEN', '1A=x', 'A-B=x', '=x'])('--env rejects %s', (pair) => {
    expect(() => parseVariables([pair])).toThrow(misuse)
  })
})

describe('--timeout', () => {
  it('--timeout accepts durations', () => {
    expect(parseDurationOption('60s', '--timeout')).toBe(60_000)
    expect(parseDurationOption('250', '--timeout')).toBe(250)
  })

  it.each(['soon', '-1s', '0'])('--timeout rejects %s', (value) => {
    expect(() => parseDurationOption(value, '--timeout')).toThrow(misuse)
  })
})

describe('--args', () => {
  it('--args accepts a JSON object', () => {
    expect(parseJsonOption('{"a": 1}', '--args')).toEqual({ a: 1 })
  })

  it.each(['{a: 1}', '[1]', '"text"', 'null', ''])('--args rejects %s', (value) => {
    expect(() => parseJsonOption(value, '--args')).toThrow(misuse)
  })
})

describe('--max-cost and --max-tokens', () => {
  it('--max-cost and --max-tokens make a budget', () => {
    expect(parseBudgetOptions({})).toEqual({})
    expect(parseBudgetOptions({ maxCost: '0.5', maxTokens: '5e4' })).toEqual({
      maxCost: 0.5,
      maxTokens: 50_000,
    })
  })

  it.each(['', '0', '-1', 'much', 'Infinity'])('--max-cost and --max-tokens reject %j', (value) => {
    expect(() => parseBudgetOptions({ maxCost: value })).toThrow(misuse)
    expect(() => parseBudgetOptions({ maxTokens: value })).toThrow(misuse)
  })
})
