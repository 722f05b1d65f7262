import { describe, expect, it } from 'vitest'
import { schemaProblem } from '../src/index.ts'

describe('schemaProblem', () => {
  it('schemaProblem returns undefined for a usable schema', () => {
    expect(
      schemaProblem({ type: 'array', items: { $ref: '#/$defs/a' }, $defs: { a: { type: 'string' } } }),
    ).toBe(undefined)
  })

  it.each([
    ['a type that there is not', { type: 'strng' }, /type/u],
    ['a reference that leads nowhere', { $ref: '#/$defs/a' }, /\$defs\/a/u],
    ['a reference to another document', { $ref: 'https://example.com/schema' }, /example\.com/u],
    ['a reference to itself at once', { anyOf: [{ type: 'string' }, { $ref: '#' }] }, /itself/u],
    ['more levels than may be', Array.from({ length: 40 }).reduce<object>((not) => ({ not }), {}), /32/u],
  ])('schemaProblem returns the reason for a schema with %s', (_what, schema, why) => {
    expect(schemaProblem(schema as Parameters<typeof schemaProblem>[0])).toMatch(why)
  })
})
