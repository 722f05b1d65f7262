import { openSession } from '@troupe/core'
import { toolResult, type Json, type JsonObject, type ToolHook } from '@troupe/schema'
import { isJsonTooDeep } from '@troupe/schema/json'
import { scriptedModel, type ScriptedStep } from '@troupe/testkit'
import { recordEvents } from '@troupe/testkit/internal'
import { createValidator } from '@troupe/tools'
import { describe, expect, it } from 'vitest'
import { runTeam, tool } from './team.ts'

const DEEP = 20_000
const ANY: JsonObject = { type: 'object' }

function nested(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
}

async function answer(steps: readonly ScriptedStep[], schema?: JsonObject) {
  const model = scriptedModel(steps)
  const record = recordEvents()
  const output = schema === undefined ? { format: 'json' as const } : { format: 'json' as const, schema }
  const agent = { name: 'A', instruction: 'Answer.', output }
  const session = openSession({ agent, model, validate: createValidator(), onEvent: record.listener })
  return { result: await session.run('go'), model, record }
}

describe('a JSON answer that is nested too deep', () => {
  it.each([65, 3000, DEEP])(
    'an answer nested %i levels deep gets one retry and is then not used as output',
    async (levels) => {
      const { result, model, record } = await answer(
        [{ text: nested(levels) }, { text: nested(levels) }],
        ANY,
      )
      expect(result).toMatchObject({
        outcome: 'failed',
        failure: {
          code: 'output_schema_mismatch',
          message: 'The answer is nested more than 64 levels deep.',
        },
      })
      expect(result.value).toBeUndefined()
      expect(model.calls).toHaveLength(2)
      expect(record.of('warning')).toMatchObject([{ code: 'output_schema_mismatch' }])
    },
  )

  it('an answer that is nested too deep is replaced by one that matches', async () => {
    const { result } = await answer([{ text: nested(DEEP) }, { text: nested(64) }], ANY)
    expect(result.outcome).toBe('completed')
    expect(result.value).toEqual(JSON.parse(nested(64)))
  })

  it('an answer that is nested too deep is text if there is no schema', async () => {
    const { result } = await answer([{ text: nested(DEEP) }])
    expect(result).toMatchObject({ outcome: 'completed', value: { content: nested(DEEP) } })
  })
})

describe('arguments of a tool that are nested too deep', () => {
  it.each([65, 3000, DEEP])(
    'arguments nested %i levels deep are refused, and the run continues without them',
    async (levels) => {
      let isCalled = false
      const model = scriptedModel([{ parts: callWith(nested(levels)) }, { text: 'ok' }])
      const record = recordEvents()
      const tools = [tool('t', () => (isCalled = true))]
      const result = await runTeam({ A: { models: [model], tools } }, { listener: record.listener })
      expect(result.outcome).toBe('completed')
      expect(isCalled).toBe(false)
      const message = 'The arguments of t are nested more than 64 levels deep.'
      expect(record.of('tool-result')).toMatchObject([{ error: { code: 'tool_bad_arguments', message } }])
      expect(isJsonTooDeep(model.calls[1]?.prompt, 70)).toBe(false)
    },
  )

  it('arguments nested too deep for a tool that the provider runs itself are removed', async () => {
    const model = scriptedModel([{ parts: callWith(nested(DEEP), true) }])
    const { outcome, messages } = await runTeam({ A: { models: [model] } })
    expect(outcome).toBe('completed')
    expect(isJsonTooDeep(messages, 70)).toBe(false)
  })

  it('arguments nested too deep by a hook are refused', async () => {
    const model = scriptedModel([{ calls: [{ tool: 't' }] }, { text: 'ok' }])
    const record = recordEvents()
    const deepen: ToolHook = (_ctx, _args, callNext) => callNext(JSON.parse(nested(65)) as JsonObject)
    const agent = { models: [model], tools: [tool('t', () => 'done')], hooks: [deepen] }
    await runTeam({ A: agent }, { listener: record.listener })
    expect(record.of('tool-result')).toMatchObject([{ error: { code: 'tool_bad_arguments' } }])
  })
})

describe('other values that are nested too deep', () => {
  it('a structured value nested too deep is marked in the result of a tool and of a hook', async () => {
    const structured = JSON.parse(nested(DEEP)) as Json
    const made = { ...toolResult.text('made'), structured }
    let seen: unknown
    const look: ToolHook = async (_ctx, args, callNext) => (seen = await callNext(args))
    const replace: ToolHook = async () => made
    for (const hooks of [[look], [replace]]) {
      const model = scriptedModel([{ calls: [{ tool: 't' }] }, { text: 'ok' }])
      const result = await runTeam({ A: { models: [model], tools: [tool('t', () => made)], hooks } })
      expect(result.outcome).toBe('completed')
    }
    expect(isJsonTooDeep(seen, 66)).toBe(false)
    expect(JSON.stringify(seen)).toContain('[too deep]')
  })

  it('provider metadata of a part that is nested too deep is removed', async () => {
    const providerMetadata = { test: JSON.parse(nested(DEEP)) as JsonObject }
    const model = scriptedModel([
      {
        parts: [
          { type: 'reasoning-start', id: '1', providerMetadata },
          { type: 'reasoning-delta', id: '1', delta: 'Hm.' },
          { type: 'reasoning-end', id: '1', providerMetadata },
          { type: 'text-start', id: '2' },
          { type: 'text-delta', id: '2', delta: 'Yes.', providerMetadata },
          { type: 'text-end', id: '2' },
          FINISH,
        ],
      },
    ])
    const { text, messages } = await runTeam({ A: { models: [model] } })
    expect(text).toBe('Yes.')
    expect(isJsonTooDeep(messages)).toBe(false)
  })
})

type Parts = NonNullable<ScriptedStep['parts']>

const FINISH: Parts[number] = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 1, text: 1, reasoning: undefined },
  },
}

function callWith(input: string, providerExecuted = false): Parts {
  const call = { type: 'tool-call' as const, toolCallId: '1', toolName: 't', input }
  const text = [
    { type: 'text-start' as const, id: '2' },
    { type: 'text-delta' as const, id: '2', delta: 'Yes.' },
    { type: 'text-end' as const, id: '2' },
  ]
  return providerExecuted ? [{ ...call, providerExecuted }, ...text, FINISH] : [call, FINISH]
}
