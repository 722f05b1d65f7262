import { openSession } from '@troupe/core'
import { scriptedModel, type ScriptedPart } from '@troupe/testkit'
import { recordEvents } from '@troupe/testkit/internal'
import { createValidator } from '@troupe/tools'
import { expect, it } from 'vitest'

/** Parts of an answer in which the provider executed a search. */
function searched({
  isError = false,
  result = ['found'],
}: { readonly isError?: boolean; readonly result?: object } = {}): readonly ScriptedPart[] {
  const call = { toolCallId: 'srv_1', toolName: 'web_search' }
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'tool-call', ...call, input: '{"query":"news"}', providerExecuted: true },
    { type: 'tool-result', ...call, result: result as never, isError },
  ]
}

function finish(raw: string): ScriptedPart {
  const none = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }
  return {
    type: 'finish',
    finishReason: { unified: 'stop', raw },
    usage: { inputTokens: none, outputTokens: { total: 1, text: 1, reasoning: 0 } },
  }
}

const TEXT: readonly ScriptedPart[] = [
  { type: 'text-start', id: '1' },
  { type: 'text-delta', id: '1', delta: 'Here.' },
  { type: 'text-end', id: '1' },
]

async function run(steps: readonly (readonly ScriptedPart[])[], maxTurns = 5) {
  const model = scriptedModel(steps.map((parts) => ({ parts })))
  const record = recordEvents()
  const agent = { name: 'A', instruction: 'Answer.', limits: { maxTurns } }
  const session = openSession({ agent, model, validate: createValidator(), onEvent: record.listener })
  return { result: await session.run('go'), model, record }
}

it('a call that the provider executed is sent back with its result, and is not executed again', async () => {
  const paused = [...searched(), finish('pause_turn')]
  const { result, model, record } = await run([paused, [...TEXT, finish('end_turn')]])
  expect(result).toMatchObject({ outcome: 'completed', text: 'Here.' })
  expect(model.calls[1]?.prompt.at(-1)).toMatchObject({
    role: 'assistant',
    content: [
      { type: 'tool-call', toolCallId: 'srv_1', providerExecuted: true },
      { type: 'tool-result', toolCallId: 'srv_1', output: { type: 'json', value: ['found'] } },
    ],
  })
  expect(record.of('tool-call')).toMatchObject([{ source: 'provider', args: { query: 'news' } }])
})

it('an answer that the provider pauses again and again gets one last turn and is then partial', async () => {
  const paused = [...searched(), finish('pause_turn')]
  const { result } = await run([paused, paused, [...TEXT, finish('end_turn')]], 2)
  expect(result).toMatchObject({ outcome: 'partial', failure: { code: 'turns_exceeded' } })
})

it('a call that the provider could not execute is a failed result in the events', async () => {
  const { result, record } = await run([[...searched({ isError: true }), ...TEXT, finish('end_turn')]])
  expect(result.outcome).toBe('completed')
  expect(record.of('tool-result')).toMatchObject([
    { source: 'provider', outcome: 'failed', error: { code: 'tool_failed' } },
  ])
})

it('an endless result of a tool of the provider fails the call', async () => {
  const { result } = await run([
    [...searched({ result: ['x'.repeat(2_000_000)] }), ...TEXT, finish('end_turn')],
  ])
  expect(result.failure?.code).toBe('model_output_too_long')
})
