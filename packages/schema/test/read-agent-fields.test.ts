import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AGENT_KEYS, agentFieldsSchema, LIMIT_KEYS, readAgentFields, type JsonObject } from '../src/index.ts'

/** Values of which some key takes each, and most keys refuse most. */
const VALUES: readonly fc.Arbitrary<unknown>[] = [
  fc.constantFrom('agent', 'chain', 'fork', 'tool', 'full', 'json', '30s', 'openai/gpt-5-mini', '', ' a'),
  fc.constantFrom(0, 1, 2, 12, 0.5, -1, true, false, null, undefined),
  fc.array(fc.constantFrom('one', 'two', 'shell', 1), { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('search', 'files', 'pool', 'use'), fc.constantFrom(['x'], true, 3)),
]
const limits = fc.dictionary(fc.constantFrom(...LIMIT_KEYS, 'maxTurn'), fc.oneof(...VALUES), { maxKeys: 3 })
const keys = fc.constantFrom(...AGENT_KEYS.filter((key) => key !== 'limits'), 'constructor', '__proto__')
const fields = fc
  .tuple(fc.dictionary(keys, fc.oneof(...VALUES), { maxKeys: 2 }), fc.option(limits, { nil: undefined }))
  .map(([own, given]) => (given === undefined ? own : { ...own, limits: given }) as JsonObject)

describe('reading the fields of a card', () => {
  it('gives what the schema of all keys gives, and nothing where that schema refuses', () => {
    fc.assert(
      fc.property(fields, (card) => {
        const parsed = agentFieldsSchema.safeParse(card)
        const read = readAgentFields(card)
        expect(read).toEqual(read === undefined && hasUndefined(card) ? undefined : parsed.data)
      }),
      { numRuns: 2000 },
    )
  })

  it('takes no key from a prototype', () => {
    expect(readAgentFields(JSON.parse('{"__proto__":{"name":"a"}}') as JsonObject)).toBeUndefined()
    expect(
      readAgentFields(JSON.parse('{"limits":{"__proto__":{"maxTurns":2}}}') as JsonObject),
    ).toBeUndefined()
  })
})

/** No JSON: the schema takes such members, which reading leaves to it. */
function hasUndefined(value: unknown): boolean {
  return (
    value === undefined ||
    (typeof value === 'object' && value !== null && Object.values(value).some(hasUndefined))
  )
}
