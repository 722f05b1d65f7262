import type { SampleAnswer, ToolContext } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { recordEvents } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { runTeam, tool } from './team.ts'

const REQUEST = {
  system: 'Be short.',
  messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Say hi' }] }],
  maxOutputTokens: 50,
}

/** Returns a tool of an MCP server that calls the model, and the answers that it got. */
function samplingTool(source: 'mcp' | 'function' = 'mcp'): {
  readonly asks: ReturnType<typeof tool>
  readonly answers: (SampleAnswer | undefined)[]
} {
  const answers: (SampleAnswer | undefined)[] = []
  const execute = async (_args: unknown, context: ToolContext): Promise<string> => {
    answers.push(await context.sample?.(REQUEST))
    return 'asked'
  }
  return { asks: tool('asks', execute, { source, server: 'tm' }), answers }
}

describe('a model call for an MCP server', () => {
  it('the first model answers without tools and conversation, and the run pays for it', async () => {
    const { asks, answers } = samplingTool()
    const model = scriptedModel([{ calls: [{ tool: 'asks' }] }, { text: 'Hi.' }, { text: 'Done.' }])
    const record = recordEvents()
    const result = await runTeam({ A: { models: [model], tools: [asks] } }, { listener: record.listener })
    expect(answers).toEqual([{ text: 'Hi.', model: 'test/A-0', finishReason: 'stop' }])
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.', usage: { modelCalls: 3 } })
    expect(record.of('usage').map(({ callId }) => callId)).toEqual([undefined, '1.1', undefined])
    const { prompt, options } = model.calls[1] ?? {}
    expect(prompt).toEqual([{ role: 'system', content: 'Be short.' }, ...REQUEST.messages])
    expect(options).toMatchObject({ maxOutputTokens: 50 })
    expect(options?.tools).toBeUndefined()
    expect(JSON.stringify(model.calls[2]?.prompt)).not.toContain('Hi.')
  })

  it('the text of a model call for an MCP server is not part of the text of the run', async () => {
    const { asks } = samplingTool()
    const model = scriptedModel([{ calls: [{ tool: 'asks' }] }, { text: 'Hi.' }, { text: 'Done.' }])
    const record = recordEvents()
    await runTeam({ A: { models: [model], tools: [asks] } }, { listener: record.listener })
    const texts = record.events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []))
    expect(texts).toEqual(['Done.'])
    expect(record.events.filter(({ type }) => type === 'text-end')).toHaveLength(1)
  })

  it('a model call that the budget of the run cannot pay is not made', async () => {
    const { asks, answers } = samplingTool()
    const model = scriptedModel((_, { index }) =>
      index === 0 ? { calls: [{ tool: 'asks' }], usage: { input: 900, output: 90 } } : { text: 'Hi.' },
    )
    await runTeam({ A: { models: [model], tools: [asks] } }, { budget: { maxTokens: 1000 } })
    expect(answers).toMatchObject([{ failure: { code: 'budget_exceeded' } }])
  })

  it('only tools of MCP servers can call the model', async () => {
    const { asks, answers } = samplingTool('function')
    const model = scriptedModel([{ calls: [{ tool: 'asks' }] }, { text: 'Done.' }])
    await runTeam({ A: { models: [model], tools: [asks] } })
    expect(answers).toEqual([undefined])
  })
})
