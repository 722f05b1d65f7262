import { toolResult, resultText } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clamp } from '../../src/index.ts'
import { smallSession } from '../support/call-through.ts'

describe('clamp', () => {
  it(`clamp limits numbers, strings and lists before the tool receives them ${verifies('B34')}`, async () => {
    const session = smallSession([
      clamp({
        args: {
          'query.limit': { min: 1, max: 20 },
          'query.text': { maxLength: 3 },
          'files.*.lines': { max: 5 },
          files: { maxItems: 2 },
          missing: { max: 1 },
        },
      }),
    ])
    await session.call({
      query: { limit: 500, text: 'ab😀cd', other: 500 },
      files: [{ lines: 9 }, { lines: 'all' }, { lines: 9 }],
    })
    expect(session.calls).toEqual([
      { query: { limit: 20, text: 'ab', other: 500 }, files: [{ lines: 5 }, { lines: 'all' }] },
    ])
  })

  it('clamp does not follow names of inherited properties', async () => {
    const session = smallSession([clamp({ args: { 'constructor.name': { maxLength: 1 }, __proto__: {} } })])
    const args = JSON.parse('{"n": 1, "__proto__": {"x": "long"}}') as { n: number }
    await session.call({ n: args.n })
    expect(session.calls).toEqual([{ n: 1 }])
  })

  it('clamp truncates an answer at a whole character, says so, and drops the structured content', async () => {
    const session = smallSession([clamp({ result: { maxBytes: 5 } })])
    const result = await session.call(
      {},
      { tool: () => ({ ...toolResult.text('aé€😀'), structured: 'aé€😀' }) },
    )
    expect(result).toEqual({
      outcome: 'completed',
      content: [
        { type: 'text', text: 'aé' },
        { type: 'text', text: '[truncated: 7 bytes omitted]' },
      ],
    })
  })

  it('clamp never leaves more text than its limit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'binary' })),
        fc.integer({ min: 1, max: 40 }),
        async (texts, maxBytes) => {
          const content = texts.map((text) => ({ type: 'text' as const, text: text.toWellFormed() }))
          const session = smallSession([clamp({ result: { maxBytes } })])
          const result = await session.call({}, { tool: () => ({ outcome: 'completed', content }) })
          const text = resultText(result).replace(/\n?\[truncated: \d+ bytes omitted\]$/u, '')
          expect(Buffer.byteLength(text.replaceAll('\n', ''))).toBeLessThanOrEqual(maxBytes)
          expect(text.isWellFormed()).toBe(true)
        },
      ),
    )
  })
})
