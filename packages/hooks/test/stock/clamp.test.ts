import { toolResult, resultText } from '@troupe/schema'
import { verifies } from '@troupe/testkit'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clamp } from '../../src/index.ts'
import { smallSession } from '../support/call-through.ts'

describe('clamp', () => {
  it(`brings numbers, texts and lists within bounds before the tool sees them ${verifies('B34')}`, async () => {
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

  it('does not reach through names that every object has', async () => {
    const session = smallSession([clamp({ args: { 'constructor.name': { maxLength: 1 }, __proto__: {} } })])
    const args = JSON.parse('{"n": 1, "__proto__": {"x": "long"}}') as { n: number }
    await session.call({ n: args.n })
    expect(session.calls).toEqual([{ n: 1 }])
  })

  it('cuts an answer at a whole character, says so, and drops the structure that still holds it all', async () => {
    const session = smallSession([clamp({ result: { maxBytes: 5 } })])
    const result = await session.call(
      {},
      { tool: () => ({ ...toolResult.text('aé€😀'), structured: 'aé€😀' }) },
    )
    expect(result).toEqual({
      outcome: 'completed',
      content: [
        { type: 'text', text: 'aé' },
        { type: 'text', text: '[cut: 7 bytes left out]' },
      ],
    })
  })

  it('never leaves more text than it may', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'binary' })),
        fc.integer({ min: 1, max: 40 }),
        async (texts, maxBytes) => {
          const content = texts.map((text) => ({ type: 'text' as const, text: text.toWellFormed() }))
          const session = smallSession([clamp({ result: { maxBytes } })])
          const result = await session.call({}, { tool: () => ({ outcome: 'completed', content }) })
          const text = resultText(result).replace(/\n?\[cut: \d+ bytes left out\]$/u, '')
          expect(Buffer.byteLength(text.replaceAll('\n', ''))).toBeLessThanOrEqual(maxBytes)
          expect(text.isWellFormed()).toBe(true)
        },
      ),
    )
  })
})
