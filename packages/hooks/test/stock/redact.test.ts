import { toolResult, type ToolResult } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redact } from '../../src/index.ts'
import { smallSession } from '../support/call-through.ts'

const TOKEN = 'sk-abcdefghijklmnop1234'

describe('redact', () => {
  it(`redact hides tokens and known secrets in text, structured content and failures of a result ${verifies('B36')}`, async () => {
    const result: ToolResult = {
      ...toolResult.error('tool_failed', `refused ${TOKEN}`),
      structured: { [TOKEN]: [`x ${TOKEN}`, 'hunter2hunter2', 7] },
      merge: [{ role: 'user', content: [{ type: 'text', text: TOKEN }] }],
    }
    const hidden = await smallSession([redact()]).call({}, { tool: () => result })
    expect(hidden).toMatchObject({
      content: [{ type: 'text', text: 'Error: refused [redacted]' }],
      failure: { message: 'refused [redacted]' },
      structured: { '[redacted]': ['x [redacted]', '{{secret:PASSWORD}}', 7] },
      merge: [{ role: 'user', content: [{ type: 'text', text: '[redacted]' }] }],
    })
  })

  it('redact hides tokens in an error that a later hook threw', async () => {
    const broken = (): never => {
      throw new TypeError(`refused ${TOKEN}`)
    }
    const hidden = await smallSession([redact(), broken]).call({})
    expect(hidden).toMatchObject({
      content: [{ type: 'text', text: 'Error: refused [redacted]' }],
      failure: { code: 'hook_failed', message: 'refused [redacted]' },
    })
  })

  it.each([
    ['tokens', `ghp_${'a1'.repeat(15)}`],
    ['tokens', 'AKIAABCDEFGHIJKLMNOP'],
    ['tokens', `Bearer ${'q'.repeat(20)}`],
    ['tokens', `eyJ${'a'.repeat(10)}.eyJ${'b'.repeat(10)}.${'c'.repeat(10)}`],
    ['tokens', '-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----'],
    ['emails', 'ada@example.org'],
    ['cards', '4111 1111 1111 1111'],
  ] as const)('redact recognizes %s such as %s', async (kind, text) => {
    const session = smallSession([redact({ kinds: [kind] })], { tool: () => toolResult.text(`<${text}>`) })
    expect((await session.call({})).content).toEqual([{ type: 'text', text: '<[redacted]>' }])
  })

  it('redact hides matches of custom patterns in the arguments, if configured', async () => {
    const hook = redact({ kinds: [], patterns: ['ACME-\\d+'], where: ['args'], replacement: '$1' })
    const session = smallSession([hook])
    await session.call({ list: ['a ACME-12'], n: 1 })
    expect(session.calls).toEqual([{ list: ['a $1'], n: 1 }])
  })

  it('redact does not change binary data and text without matches', async () => {
    const result: ToolResult = {
      outcome: 'completed',
      content: [
        { type: 'data', mediaType: 'image/png', base64: 'c2stYWJj' },
        { type: 'text', text: 'plain' },
      ],
    }
    expect(await smallSession([redact()]).call({}, { tool: () => result })).toEqual(result)
  })

  it('redact takes linear time for adversarial text and never lets the token through', async () => {
    const session = smallSession([redact({ kinds: ['tokens', 'emails'], patterns: ['(x+x+)+y'] })])
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 50 }), async (around) => {
        const text = `${around} ${TOKEN} ${'x'.repeat(2000)}`
        const result = await session.call({}, { tool: () => toolResult.text(text) })
        expect(JSON.stringify(result)).not.toContain(TOKEN)
      }),
      { numRuns: 30 },
    )
  })
})
