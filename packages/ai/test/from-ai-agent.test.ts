import type { RunOptions } from '@troupe/schema'
import { scriptedModel, type ScriptedModel, type ScriptedStep } from '@troupe/testkit'
import { deferred, recordEvents } from '@troupe/testkit/internal'
import { isStepCount, tool, ToolLoopAgent } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { fromAiAgent } from '../src/index.ts'
import { agentA, openHost } from './support/open-host.ts'

const sent: string[] = []
const send = tool({
  description: 'Sends.',
  inputSchema: z.object({ to: z.string() }),
  needsApproval: true,
  execute: ({ to }) => {
    sent.push(to)
    return `sent to ${to}`
  },
})
const look = tool({
  description: 'Looks.',
  inputSchema: z.object({}),
  execute: () => 'seen',
})

/** Runs an agent that calls the agent `helper` of the AI SDK once. Returns what its model reads. */
async function ask(
  model: ScriptedModel,
  options: RunOptions = {},
): Promise<{ readonly result: unknown; readonly outcome: string }> {
  const helper = new ToolLoopAgent({
    model,
    tools: { send, look },
    stopWhen: isStepCount(4),
    maxRetries: 0,
    onError: () => undefined,
  })
  const tools = [fromAiAgent('helper', helper, { description: 'Helps.' })]
  const own = scriptedModel([
    { calls: [{ tool: 'helper', args: { prompt: 'Look around' } }] },
    { text: 'done' },
  ])
  const host = await openHost([agentA({ functionTools: tools })], { 'test/a': own })
  const { outcome } = await host.run('A', 'go', options)
  const [part] = (own.calls[1]?.prompt.at(-1)?.content ?? []) as readonly { readonly output?: unknown }[]
  return { result: part?.output, outcome }
}

const sends: ScriptedStep[] = [{ calls: [{ tool: 'send', args: { to: 'Ada' } }] }]

describe('an agent of the AI SDK as a tool', () => {
  it('the agent works with its own tools and its answer is the result', async () => {
    const model = scriptedModel([{ calls: [{ tool: 'look' }] }, { text: 'All quiet.' }])
    const recorded = recordEvents()
    const { result } = await ask(model, { onEvent: recorded.listener })
    expect(result).toEqual({ type: 'text', value: 'All quiet.' })
    expect(JSON.stringify(model.calls[0]?.prompt)).toContain('Look around')
    const progress = recorded.events.flatMap((event) => (event.type === 'tool-progress' ? [event.text] : []))
    expect(progress).toEqual(['helper calls look'])
    model.assertDone()
  })

  it.each([
    [{ answered: true, text: 'approve' }, ['Ada'], 'sent to Ada'],
    [{ answered: true, text: 'rather not' }, [], 'rather not'],
    [{ answered: false, reason: 'The person is away.' }, [], 'The person is away.'],
  ] as const)('a person decides on a call of the agent: %j', async (answer, expected, shown) => {
    sent.length = 0
    const model = scriptedModel((prompt, { index }) =>
      index === 0 ? { ...sends[0] } : { text: JSON.stringify(prompt.at(-1)) },
    )
    const asked: string[] = []
    const { result } = await ask(model, {
      ask: ({ question }) => {
        asked.push(question)
        return answer
      },
    })
    expect(asked).toEqual(['May the agent helper call send with {"to":"Ada"}?'])
    expect(sent).toEqual(expected)
    expect(result).toMatchObject({ type: 'text', value: expect.stringContaining(shown) })
  })

  it('a call of the agent that needs approval is denied if no person can be asked', async () => {
    sent.length = 0
    const model = scriptedModel([...sends, { text: 'I could not send it.' }])
    expect(await ask(model)).toMatchObject({ result: { value: 'I could not send it.' } })
    expect(sent).toEqual([])
  })

  it('a failure of the agent is an error for the model', async () => {
    const model = scriptedModel([{ error: new Error('no such key') }])
    expect(await ask(model)).toMatchObject({
      outcome: 'completed',
      result: { type: 'error-text', value: expect.stringContaining('The agent helper failed: no such key') },
    })
  })

  it('an agent that stops without an answer is an error for the model', async () => {
    const model = scriptedModel(() => ({ calls: [{ tool: 'look' }] }))
    expect(await ask(model)).toMatchObject({
      result: {
        type: 'error-text',
        value: expect.stringContaining('ended without an answer (tool-calls)'),
      },
    })
  })

  it('cancelling the run aborts the model of the agent', async () => {
    const started = deferred()
    const aborted = deferred()
    const model = scriptedModel(async (_, { options }) => {
      options.abortSignal?.addEventListener('abort', () => aborted.resolve())
      started.resolve()
      await aborted.promise
      return { text: 'late' }
    })
    const stop = new AbortController()
    const running = ask(model, { signal: stop.signal })
    await started.promise
    stop.abort()
    await aborted.promise
    expect(await running).toMatchObject({ outcome: 'cancelled' })
  })
})
