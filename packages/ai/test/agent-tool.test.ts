import { defineAgent, defineTool, failure, TroupeError } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { deferred } from '@troupe/testkit/internal'
import { isStepCount, streamText, type TextStreamPart, type ToolSet } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { agentTool } from '../src/index.ts'
import { agentA, openHost } from './support/open-host.ts'

/** Lets a model of the AI SDK call the tool `t` once. Returns the parts of the stream and what the model reads. */
async function callFromAi(
  t: ToolSet[string],
  args: object,
  abortSignal?: AbortSignal,
): Promise<{ readonly parts: readonly TextStreamPart<ToolSet>[]; readonly read: unknown }> {
  const model = scriptedModel([{ calls: [{ tool: 't', args }] }, { text: 'done' }])
  const result = streamText({
    model,
    tools: { t },
    prompt: 'go',
    stopWhen: isStepCount(3),
    onError: () => undefined,
    ...(abortSignal === undefined ? {} : { abortSignal }),
  })
  const parts: TextStreamPart<ToolSet>[] = []
  for await (const part of result.stream) parts.push(part)
  const [part] = (model.calls[1]?.prompt.at(-1)?.content ?? []) as readonly { readonly output?: unknown }[]
  return { parts, read: part?.output }
}

describe('an agent as a tool of the AI SDK', () => {
  it('the agent runs in a session of its own, and its calls are preliminary results', async () => {
    const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', execute: () => 'seen' })
    const model = scriptedModel([{ text: 'I look.', calls: [{ tool: 'look' }] }, { text: 'All quiet.' }])
    const host = await openHost([agentA({ functionTools: [look] })], { 'test/a': model })
    const t = agentTool(host, 'A')
    expect(t.description).toBe('Does it.')
    const { parts, read } = await callFromAi(t, { text: 'Look around' })
    const outputs = parts.flatMap((part) =>
      part.type === 'tool-result' ? [[part.preliminary === true, part.output]] : [],
    )
    expect(outputs).toContainEqual([
      true,
      { agent: 'A', outcome: 'running', text: 'I look.', activity: 'A: look' },
    ])
    expect(outputs.at(-1)).toEqual([false, { agent: 'A', outcome: 'completed', text: 'All quiet.' }])
    expect(read).toEqual({ type: 'text', value: 'All quiet.' })
    expect(model.calls[0]?.prompt.at(-1)?.content).toMatchObject([{ text: 'Look around' }])
  })

  it('the schemas of the agent are those of the tool', async () => {
    const weather = defineAgent({
      name: 'weather',
      instruction: 'Tell the weather.',
      model: 'test/a',
      input: { schema: z.object({ city: z.string() }) },
      output: { schema: z.object({ degrees: z.number() }) },
    })
    const model = scriptedModel([{ text: '{"degrees": 21}' }])
    const host = await openHost([weather], { 'test/a': model })
    const { read } = await callFromAi(agentTool(host, 'weather'), { city: 'Paris' })
    expect(read).toEqual({ type: 'json', value: { degrees: 21 } })
    expect(model.calls[0]?.prompt.at(-1)?.content).toMatchObject([{ text: 'Paris' }])
  })

  it('a run that fails is an error with its reason, and the model continues', async () => {
    const error = new TroupeError(failure('model_refused', 'The key sk-1 was rejected.'))
    const host = await openHost([agentA()], { 'test/a': scriptedModel([{ error }]) })
    const { parts, read } = await callFromAi(agentTool(host, 'A'), { text: 'x' })
    expect(read).toMatchObject({
      type: 'error-text',
      value: expect.stringMatching(
        /The agent A ended with the outcome failed\. .+ Code: model_refused\. What to do: /u,
      ),
    })
    expect(JSON.stringify(read)).not.toContain('sk-1')
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' })
  })

  it('a partial answer says what is missing', async () => {
    const host = await openHost([agentA()], {
      'test/a': scriptedModel([{ text: 'One, two', finish: 'length' }]),
    })
    const { read } = await callFromAi(agentTool(host, 'A'), { text: 'x' })
    expect(read).toMatchObject({
      type: 'text',
      value: expect.stringMatching(/^One, two\nPartial answer: .+/u),
    })
  })

  it('aborting the call cancels the run', async () => {
    const started = deferred()
    const aborted = deferred()
    const model = scriptedModel(async (_, { options }) => {
      options.abortSignal?.addEventListener('abort', () => aborted.resolve())
      started.resolve()
      await aborted.promise
      return { text: 'late' }
    })
    const host = await openHost([agentA()], { 'test/a': model })
    const stop = new AbortController()
    const running = callFromAi(agentTool(host, 'A'), { text: 'x' }, stop.signal)
    await started.promise
    stop.abort()
    await aborted.promise
    expect((await running).parts.some(({ type }) => type === 'abort')).toBe(true)
  })

  it('tools that need approval are offered only if the caller can approve', async () => {
    const wipe = defineTool({
      name: 'wipe',
      description: 'Wipes.',
      requiresApproval: true,
      execute: () => 'wiped',
    })
    const run = async (options: Parameters<typeof agentTool>[2]): Promise<readonly string[]> => {
      const model = scriptedModel([{ text: 'ok' }])
      const host = await openHost([agentA({ functionTools: [wipe] })], { 'test/a': model })
      await callFromAi(agentTool(host, 'A', options), { text: 'x' })
      return model.calls[0]?.tools ?? []
    }
    expect(await run({})).toEqual([])
    expect(await run({ approve: () => ({ decision: 'denied' }) })).toEqual(['wipe'])
  })

  it('an unknown agent is refused with the names of the others', async () => {
    const host = await openHost([agentA()], { 'test/a': scriptedModel([]) })
    expect(() => agentTool(host, 'B')).toThrow('There is no agent "B". Agents: A.')
  })
})
