import { isJsonTextTooDeep, isJsonTooDeep } from '../src/json.ts'
import type { Json } from '../src/text/json.ts'
import { describe, expect, it } from 'vitest'

const lists = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
const objects = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`
const parsed = (text: string): Json => JSON.parse(text) as Json

describe('the limit on the depth of JSON', () => {
  it.each([lists, objects])('isJsonTooDeep accepts at most 64 levels', (nest) => {
    expect(isJsonTooDeep(parsed(nest(64)))).toBe(false)
    expect(isJsonTooDeep(parsed(nest(65)))).toBe(true)
    expect(isJsonTextTooDeep(nest(64), parsed(nest(64)))).toBe(false)
    expect(isJsonTextTooDeep(nest(65), parsed(nest(65)))).toBe(true)
  })

  it('isJsonTooDeep detects depth beside shallow values and behind a key named __proto__', () => {
    expect(isJsonTooDeep(parsed(`{"a":1,"b":[null,"x",${lists(64)}]}`))).toBe(true)
    expect(isJsonTooDeep(parsed(`{"__proto__":${lists(64)}}`))).toBe(true)
  })

  it('isJsonTooDeep detects a million levels and a cycle', () => {
    expect(isJsonTooDeep(parsed(lists(1_000_000)))).toBe(true)
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    expect(isJsonTooDeep(circular)).toBe(true)
  })

  it('isJsonTooDeep counts no brackets in strings', () => {
    const text = JSON.stringify({ a: '['.repeat(1000) })
    expect(isJsonTextTooDeep(text, parsed(text))).toBe(false)
  })
})
