import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { userMessage } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { scriptedModel, type ScriptedModel } from '../src/index.ts'
import { deferred, settle } from '../src/internal.ts'

async function ask(
  model: ScriptedModel,
  text = 'hi',
  signal?: AbortSignal,
): Promise<LanguageModelV4StreamPart[]> {
  const { stream } = await model.doStream({
    prompt: [userMessage(text)],
    ...(signal === undefined ? {} : { abortSignal: signal }),
  })
  const parts: LanguageModelV4StreamPart[] = []
  for await (const part of stream) parts.push(part)
  return parts
}

describe('scriptedModel', () => {
  it('scriptedModel answers with text in the parts of the provider contract', async () => {
    const model = scriptedModel([{ text: ['Good ', 'day'], usage: { input: 7, output: 2, cacheRead: 3 } }])
    expect(await ask(model)).toEqual([
      { type: 'stream-start', warnings: [] },
      { type: 'text-start', id: 'text' },
      { type: 'text-delta', id: 'text', delta: 'Good ' },
      { type: 'text-delta', id: 'text', delta: 'day' },
      { type: 'text-end', id: 'text' },
      {
        type: 'finish',
        finishReason: { unified: 'stop', raw: 'stop' },
        usage: {
          inputTokens: { total: 7, noCache: 4, cacheRead: 3, cacheWrite: 0 },
          outputTokens: { total: 2, text: 2, reasoning: 0 },
        },
      },
    ])
    model.assertDone()
  })

  it('scriptedModel calls tools with JSON text and its own ids', async () => {
    const model = scriptedModel([
      {
        calls: [
          { tool: 'add', args: { a: 1 } },
          { tool: 'raw', args: '{"broken' },
        ],
      },
    ])
    const parts = await ask(model)
    expect(parts.filter((part) => part.type === 'tool-call')).toEqual([
      { type: 'tool-call', toolCallId: 'call-1', toolName: 'add', input: '{"a":1}' },
      { type: 'tool-call', toolCallId: 'call-2', toolName: 'raw', input: '{"broken' },
    ])
    expect(parts.at(-1)).toMatchObject({ finishReason: { unified: 'tool-calls' } })
  })

  it('scriptedModel records its calls', async () => {
    const model = scriptedModel((prompt) => ({ text: `${prompt.length}` }))
    await ask(model, 'first')
    expect(model.calls).toMatchObject([{ index: 0, prompt: [userMessage('first')], tools: [] }])
  })

  it('scriptedModel fails on a call beyond the last step, and says so at the end', async () => {
    const model = scriptedModel([])
    await expect(ask(model, 'surplus')).rejects.toMatchObject({ code: 'model_script_exhausted' })
    expect(() => model.assertDone()).toThrow(/surplus/u)
  })

  it('scriptedModel fails at the end if a step was not used', () => {
    expect(() => scriptedModel([{ text: 'never' }]).assertDone()).toThrow(/called 0 times/u)
  })

  it('scriptedModel fails a call with the error of its step', async () => {
    const error = new TypeError('no network')
    await expect(ask(scriptedModel([{ error }]))).rejects.toBe(error)
  })

  it('scriptedModel waits where the script says, and stops waiting when the call is aborted', async () => {
    const gate = deferred()
    const abort = new AbortController()
    const model = scriptedModel([
      { wait: gate.promise, text: 'late' },
      { parts: [new Promise(() => undefined)] },
    ])
    const late = ask(model)
    await settle()
    gate.resolve()
    expect((await late).length).toBeGreaterThan(0)
    const never = ask(model, 'hi', abort.signal)
    await settle()
    abort.abort('enough')
    await expect(never).rejects.toBe('enough')
  })

  it('scriptedModel reports no usage if the script disables it', async () => {
    const parts = await ask(scriptedModel([{ text: 'x', usage: null }]))
    expect(parts.at(-1)).toMatchObject({ usage: { inputTokens: { total: undefined } } })
  })
})
