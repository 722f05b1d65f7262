import type { AssistantMessage, LoopHooks, ToolMessage } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { recordEvents } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { runTeam, tool } from './team.ts'

type AnyPart = AssistantMessage['content'][number]
type Part = Extract<AnyPart, { type: 'tool-call' }>

/** Returns a copy of a message with changed tool calls. */
function withCalls(message: AssistantMessage, change: (part: Part) => readonly Part[]): AssistantMessage {
  return {
    ...message,
    content: message.content.flatMap((part): readonly AnyPart[] =>
      part.type === 'tool-call' ? change(part) : [part],
    ),
  }
}

/** Runs an agent whose model calls `look` and then answers. */
async function runHooked(loopHooks: LoopHooks, fields = {}) {
  const calls: unknown[] = []
  const look = tool('look', (args) => `saw ${JSON.stringify(calls.push(['look', args]))}`)
  const burn = tool('burn', (args) => `burnt ${JSON.stringify(calls.push(['burn', args]))}`)
  const model = scriptedModel([
    { calls: [{ tool: 'look', args: { at: 'stars' }, id: 'one' }] },
    { text: 'done' },
  ])
  const record = recordEvents()
  const result = await runTeam(
    { A: { models: [model], tools: [look, burn], loopHooks, fields } },
    { listener: record.listener },
  )
  const results = record.of('tool-result').map(({ outcome, error }) => error?.code ?? outcome)
  return { result, calls, results, prompt: model.calls[1]?.prompt ?? [] }
}

describe('the loop hook beforeTools', () => {
  it('a changed tool call runs in place of the one of the model, and the conversation shows it', async () => {
    const { calls, results, prompt } = await runHooked({
      beforeTools: (_ctx, message) =>
        withCalls(message, (part) => [{ ...part, toolName: 'burn', input: { letter: 1 } }]),
    })
    expect(calls).toEqual([['burn', { letter: 1 }]])
    expect(results).toEqual(['completed'])
    const parts = prompt.flatMap(({ content }): readonly unknown[] =>
      typeof content === 'string' ? [] : content,
    )
    expect(parts).toContainEqual(
      expect.objectContaining({
        type: 'tool-call',
        toolCallId: 'one',
        toolName: 'burn',
        input: { letter: 1 },
      }),
    )
    expect(parts).toContainEqual(expect.objectContaining({ type: 'tool-result', toolName: 'burn' }))
  })

  it.each([
    ['a tool that the agent does not have', { toolName: 'fly', input: {} }, {}, 'tool_unknown'],
    [
      'a tool that a rule denies',
      { toolName: 'burn', input: {} },
      { permissions: { deny: ['burn'], ask: [], allow: [] } },
      'permission_denied',
    ],
    [
      'a tool that needs approval',
      { toolName: 'burn', input: {} },
      { permissions: { deny: [], ask: ['burn'], allow: [] } },
      'approval_denied',
    ],
  ])('a tool call changed to %s is refused like a call of the model', async (_, change, fields, code) => {
    const { calls, results } = await runHooked(
      { beforeTools: (_ctx, message) => withCalls(message, (part) => [{ ...part, ...change }]) },
      fields,
    )
    expect(calls).toEqual([])
    expect(results).toEqual([code])
  })

  it('a hook that changes nothing leaves the call of the model', async () => {
    const { calls } = await runHooked({ beforeTools: (_ctx, message) => message })
    expect(calls).toEqual([['look', { at: 'stars' }]])
  })

  it.each([
    ['removes a tool call', (): readonly Part[] => [], 'removed a tool call'],
    [
      'adds a tool call',
      (part: Part): readonly Part[] => [part, { ...part, toolCallId: 'two' }],
      'added a tool call',
    ],
    [
      'passes text as arguments',
      (part: Part): readonly Part[] => [{ ...part, input: 'x' }],
      'not a JSON object',
    ],
  ])('a hook that %s fails the run before any call', async (_, change, message) => {
    const { result, calls } = await runHooked({
      beforeTools: (_ctx, given) => withCalls(given, change),
    })
    expect(calls).toEqual([])
    expect(result.failure).toMatchObject({ code: 'hook_failed', message: expect.stringContaining(message) })
  })

  it('the calls of a model do not run if the run is cancelled while the hook decides', async () => {
    const stop = new AbortController()
    const calls: unknown[] = []
    const look = tool('look', (args) => calls.push(args))
    const model = scriptedModel([{ calls: [{ tool: 'look', args: {} }] }, { text: 'done' }])
    const beforeTools = (): Promise<undefined> => {
      stop.abort()
      return new Promise(() => undefined)
    }
    const result = await runTeam(
      { A: { models: [model], tools: [look], loopHooks: { beforeTools } } },
      { signal: stop.signal },
    )
    expect(result.outcome).toBe('cancelled')
    expect(calls).toEqual([])
  })
})

describe('the loop hook afterTools', () => {
  it('a changed result is what the model reads', async () => {
    const { prompt } = await runHooked({
      afterTools: (_ctx, message): ToolMessage => ({
        ...message,
        content: message.content.map((part): ToolMessage['content'][number] =>
          part.type === 'tool-result' ? { ...part, output: { type: 'text', value: 'hidden' } } : part,
        ),
      }),
    })
    expect(prompt.at(-1)?.content).toMatchObject([{ toolCallId: 'one', output: { value: 'hidden' } }])
  })

  it.each(['beforeTools', 'afterTools'] as const)('a run fails if %s throws', async (name) => {
    const { result } = await runHooked({
      [name]: () => {
        throw new Error('no')
      },
    })
    expect(result.failure).toMatchObject({
      code: 'hook_failed',
      message: `The loop hook ${name} stopped the run: no`,
      remediation: expect.stringContaining(`\`${name}\` under \`loopHooks\` of `),
    })
  })
})
