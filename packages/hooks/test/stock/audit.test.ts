import { toolResult, type ToolHook } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { audit, type AuditOptions } from '../../src/index.ts'
import { smallSession, type SmallSession } from '../support/call-through.ts'

function audited(options: AuditOptions, fails: (line: string) => boolean = () => false) {
  const lines: Record<string, unknown>[] = []
  const openLines = () => async (line: string) => {
    if (fails(line)) throw new RangeError('disk full')
    lines.push(JSON.parse(line) as Record<string, unknown>)
  }
  const session: SmallSession = smallSession([audit({ file: 'audit.jsonl', ...options }, { openLines })])
  return { session, lines }
}

describe('audit', () => {
  it(`audit writes one line for every call with caller, tool, outcome and duration ${verifies('B36')}`, async () => {
    const { session, lines } = audited({})
    const slow = session.call(
      { text: 'x' },
      {
        tool: async () => {
          await session.clock.advance(40)
          return toolResult.error('tool_failed', 'broken')
        },
      },
    )
    await slow
    expect(lines).toEqual([
      {
        time: '1970-01-01T00:00:00.040Z',
        agent: 'Clerk',
        instance: 'Clerk[1]',
        call: 'run-1:1.1',
        tool: 'work',
        source: 'function',
        phase: 'end',
        args: { text: 'x' },
        outcome: 'failed',
        code: 'tool_failed',
        error: 'broken',
        durationMs: 40,
      },
    ])
  })

  it('audit reports a line that cannot be written even if a later hook threw and an earlier one catches', async () => {
    const caught: unknown[] = []
    const catching: ToolHook = async (_ctx, args, callNext) => {
      try {
        return await callNext(args)
      } catch (thrown) {
        caught.push(thrown)
        return toolResult.text('caught')
      }
    }
    const openLines = () => () => Promise.reject(new RangeError('disk full'))
    const throwing: ToolHook = () => Promise.reject(new Error('broken'))
    const session = smallSession([catching, audit({ file: 'audit.jsonl' }, { openLines }), throwing])
    expect((await session.call({})).failure).toMatchObject({ code: 'hook_failed' })
    expect(caught).toEqual([])
  })

  it('audit hides tokens and known secrets, and records hashes if configured', async () => {
    const { session, lines } = audited({ result: 'full', patterns: ['ACME-\\d+'] })
    await session.call(
      { key: 'sk-abcdefghijklmnop1234', password: 'hunter2hunter2' },
      {
        tool: () => toolResult.text('for ACME-7'),
      },
    )
    expect(lines[0]).toMatchObject({
      args: { key: '[redacted]', password: '{{secret:PASSWORD}}' },
      result: 'for [redacted]',
    })
    const hashed = audited({ args: 'hash' })
    await hashed.session.call({ a: 1, b: 2 })
    await hashed.session.call({ b: 2, a: 1 })
    expect(hashed.lines[0]).toMatchObject({ argsSha256: expect.stringMatching(/^[0-9a-f]{64}$/u) })
    expect(hashed.lines[0]?.['argsSha256']).toBe(hashed.lines[1]?.['argsSha256'])
    expect(hashed.lines[0]).not.toHaveProperty('args')
  })

  it('audit records long arguments by their hash', async () => {
    const { session, lines } = audited({})
    await session.call({ text: 'x'.repeat(50_000) })
    expect(lines[0]).toMatchObject({ argsCharacters: 50_011 })
    expect(lines[0]).not.toHaveProperty('args')
  })

  it('audit prevents a call whose start cannot be recorded', async () => {
    const { session } = audited({ start: true }, (line) => line.includes('"phase":"start"'))
    expect(await session.call({})).toMatchObject({
      failure: { code: 'hook_failed', message: expect.stringMatching(/not made.*disk full/u) },
    })
    expect(session.calls).toEqual([])
  })

  it('audit reports a call whose end cannot be recorded as failed and says that it was made', async () => {
    const { session, lines } = audited({ start: true }, (line) => line.includes('"phase":"end"'))
    expect((await session.call({})).failure?.message).toContain('the call was made: completed')
    expect(lines).toMatchObject([{ phase: 'start' }])
  })

  it('audit records the end of a call whose later hook threw, and rethrows the exception', async () => {
    const lines: string[] = []
    const openLines = () => async (line: string) => void lines.push(line)
    const broken = (): never => {
      throw new TypeError('broken')
    }
    const session = smallSession([audit({ file: 'audit.jsonl' }, { openLines }), broken])
    expect((await session.call({})).failure?.message).toBe('Tool hook 2 (broken) threw: broken')
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { phase: 'end', outcome: 'failed', code: 'hook_failed', error: 'broken' },
    ])
  })

  it('audit emits log events if no file is configured', async () => {
    const session = smallSession([audit()])
    await session.call({})
    expect(JSON.parse(session.logs[0] ?? '')).toMatchObject({ tool: 'work', outcome: 'completed' })
  })
})
