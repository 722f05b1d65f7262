import { scriptedModel } from '@troupe/testkit'
import { recordEvents, deferred, fakeClock, verifies } from '@troupe/testkit/internal'
import { createRedactor } from '@troupe/env'
import { toolResult, type ToolDefinition, type ToolHook } from '@troupe/schema'
import type { Redactor } from '@troupe/schema/ports'
import { describe, expect, it } from 'vitest'
import { runTeam, tool } from './team.ts'

/** Returns the result of one call of the tool as the model reads it. */
async function readByModel(
  made: ToolDefinition,
  more: {
    readonly hooks?: readonly ToolHook[]
    readonly maxToolResultBytes?: number
    readonly redactor?: Redactor | undefined
  } = {},
): Promise<{ readonly type: string; readonly value: unknown }> {
  const model = scriptedModel([{ calls: [{ tool: made.wireName, args: { n: 1 } }] }, { text: 'ok' }])
  const { hooks = [], maxToolResultBytes, redactor } = more
  const agent = {
    ...(maxToolResultBytes === undefined ? {} : { fields: { limits: { maxToolResultBytes } } }),
    models: [model],
    tools: [made],
    hooks,
  }
  await runTeam({ A: agent }, { redactor })
  const content = (model.calls[1]?.prompt.at(-1)?.content ?? []) as readonly {
    readonly output: { readonly type: string; readonly value: unknown }
  }[]
  return content[0]?.output ?? { type: 'none', value: undefined }
}

describe('the result of a tool', () => {
  const circular: Record<string, unknown> = { name: 'loop' }
  circular['self'] = circular
  const cases: readonly (readonly [string, unknown, string])[] = [
    ['text', 'plain', 'plain'],
    ['nothing', undefined, ''],
    ['an object', { a: 1 }, '{"a":1}'],
    ['a BigInt', { big: 10n ** 20n }, '{"big":"100000000000000000000"}'],
    ['a cycle', circular, '{"name":"loop","self":"[circular]"}'],
    ['undefined members and functions', { a: undefined, f: () => 1, b: 2 }, '{"b":2}'],
    ['numbers that JSON has not', [Number.NaN, Infinity], '["NaN","Infinity"]'],
    ['a date', { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    ['a map and a set', { m: new Map([['k', 1]]), s: new Set([2]) }, '{"m":{"k":1},"s":[2]}'],
    ['the typed form of text', { type: 'text', value: 'typed' }, 'typed'],
    ['the typed form of JSON', { type: 'json', value: { x: [1] } }, '{"x":[1]}'],
    ['a result', toolResult.text('made'), 'made'],
  ]
  it.each(cases)(
    `the result of a tool reaches the model as JSON or text: %s ${verifies('C32')}`,
    async (_name, value, text) => {
      expect(await readByModel(tool('t', () => value))).toEqual({ type: 'text', value: text })
    },
  )

  it('a binary result of a tool reaches the model as a file', async () => {
    const output = await readByModel(tool('t', () => new Uint8Array([1, 2, 3])))
    expect(output).toMatchObject({
      type: 'content',
      value: [{ type: 'file', mediaType: 'application/octet-stream' }],
    })
  })

  it('the result of a tool cannot reach a prototype', async () => {
    const hostile: unknown = JSON.parse('{"__proto__": {"polluted": true}}')
    await readByModel(tool('t', () => ({ hostile })))
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it('the result of a tool is cut at the limit, at a character boundary, with a note', async () => {
    const output = await readByModel(
      tool('t', () => 'ä'.repeat(100)),
      { maxToolResultBytes: 11 },
    )
    expect(output.value).toBe(
      'äääää\n[cut: 190 of 200 bytes left out; call read_result with handle "r1" and offset 10 to continue]',
    )
  })

  it('known secrets in the result of a tool are redacted before the model and the events get it', async () => {
    const output = await readByModel(
      tool('t', () => ({ key: 'hunter2-hunter2' })),
      {
        redactor: createRedactor([{ name: 'KEY', value: 'hunter2-hunter2' }]),
      },
    )
    expect(output.value).toBe('{"key":"[redacted:KEY]"}')
  })
})

describe('a tool that fails', () => {
  it(`a tool that throws returns an error with that message to the model ${verifies('A49')}`, async () => {
    const output = await readByModel(
      tool('t', () => {
        throw new TypeError('kaputt')
      }),
    )
    expect(output).toEqual({ type: 'error-text', value: 'Error: kaputt' })
  })

  it('a tool may throw any value, or reject', async () => {
    const output = await readByModel(tool('t', () => Promise.reject('a string')))
    expect(output).toEqual({ type: 'error-text', value: 'Error: a string' })
  })

  it('a tool may report a failure in the form of MCP', async () => {
    const output = await readByModel(
      tool('t', () => ({ isError: true, content: [{ type: 'text', text: 'no such row' }] })),
    )
    expect(output.type).toBe('error-text')
    expect(output.value).toContain('no such row')
  })

  it('a tool that misses its deadline is abandoned, and the run continues', async () => {
    const clock = fakeClock()
    const never = deferred<string>()
    const record = recordEvents()
    const model = scriptedModel([{ calls: [{ tool: 'deaf', args: {} }] }, { text: 'continued' }])
    const running = runTeam(
      { A: { models: [model], tools: [tool('deaf', () => never.promise, { timeoutMs: 50 })] } },
      { clock, listener: record.listener },
    )
    await clock.advance(50)
    expect((await running).text).toBe('continued')
    expect(record.of('tool-result')).toMatchObject([{ outcome: 'timeout', error: { code: 'tool_timeout' } }])
    expect(clock.pending()).toBe(0)
  })
})

describe('permission', () => {
  const risky = tool('risky', () => 'done', { requiresApproval: true })
  const calls = { calls: [{ tool: 'risky', args: { a: 1 } }] }

  it('a call is denied if a rule denies it, whatever else allows it', async () => {
    const record = recordEvents()
    await runTeam(
      {
        A: {
          fields: { permissions: { deny: ['ris*'], allow: ['risky'] }, toolPermission: 'never' },
          models: [scriptedModel([calls, { text: 'ok' }])],
          tools: [risky],
        },
      },
      { listener: record.listener, approve: () => ({ decision: 'approved' }) },
    )
    expect(record.of('tool-result')).toMatchObject([
      { outcome: 'denied', error: { code: 'permission_denied' } },
    ])
  })

  it('a call that requires approval is denied if there is no approver', async () => {
    const record = recordEvents()
    await runTeam(
      { A: { models: [scriptedModel([calls, { text: 'ok' }])], tools: [risky] } },
      { listener: record.listener },
    )
    expect(record.of('tool-result')).toMatchObject([
      { outcome: 'denied', error: { code: 'approval_denied' } },
    ])
  })

  it('approval is requested with the arguments that will run, after the hooks, while the deadline is paused', async () => {
    const clock = fakeClock()
    const record = recordEvents()
    const answer = deferred()
    const asked: unknown[] = []
    const running = runTeam(
      {
        A: {
          models: [scriptedModel([calls, { text: 'ok' }])],
          tools: [risky],
          hooks: [(_ctx, args, callNext) => callNext({ ...args, a: 2 })],
        },
      },
      {
        clock,
        remainingMs: 1000,
        listener: record.listener,
        approve: async ({ args }) => {
          asked.push(args)
          await answer.promise
          return { decision: 'approved' }
        },
      },
    )
    await clock.advance(60_000)
    answer.resolve()
    expect((await running).outcome).toBe('completed')
    expect(asked).toEqual([{ a: 2 }])
    expect(record.types().filter((type) => type.startsWith('approval'))).toEqual([
      'approval-request',
      'approval-result',
    ])
  })
})
