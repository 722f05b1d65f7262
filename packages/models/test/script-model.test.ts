import { APICallError } from '@ai-sdk/provider'
import { userMessage, type LanguageModel } from '@troupe/schema'
import type { ModelHandle } from '@troupe/schema/ports'
import { tempProject, verifies, type TempProject } from '@troupe/testkit/internal'
import { afterEach, describe, expect, it } from 'vitest'
import { resolveModel } from '../src/index.ts'
import { contextOf } from './context.ts'
import { loop, stream, timeTool } from './drive.ts'

const projects: TempProject[] = []
afterEach(async () => {
  for (const project of projects.splice(0)) await project.remove()
})

async function load(script: string): Promise<ModelHandle> {
  const project = await tempProject({ 'scripts/play.yaml': script })
  projects.push(project)
  return resolveModel('script/scripts/play.yaml', contextOf({}, { folder: project.path }))
}

async function open(script: string, agent = 'A'): Promise<LanguageModel> {
  return (await load(script)).open({ agent, runId: 'r' })
}

async function errorOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  )
}

describe('a script', () => {
  it(`a script plays the steps of an agent and fills in the results of its calls ${verifies('C34')}`, async () => {
    const model = await open(`
agents:
  A:
    - say: One moment.
      call: [{tool: agent__Time, args: {city: '{{input}}'}}, {tool: agent__Time, args: {city: Oslo}}]
    - say: 'Rome {{results.0.json.time}}, Oslo {{results.1.text}}'
`)
    const turns = await loop(model, {
      prompt: [userMessage('Rome')],
      tools: [timeTool],
      answer: (args) => JSON.stringify({ time: '12:00', ...(args as object) }),
    })

    expect(turns.map(({ text }) => text)).toEqual([
      'One moment.',
      'Rome 12:00, Oslo {"time":"12:00","city":"Oslo"}',
    ])
    expect(turns[0]?.calls).toEqual([
      { id: 'call-1-1', name: 'agent__Time', args: { city: 'Rome' } },
      { id: 'call-1-2', name: 'agent__Time', args: { city: 'Oslo' } },
    ])
    expect(turns[0]?.finish.finishReason.unified).toBe('tool-calls')
    expect(turns[1]?.finish.finishReason.unified).toBe('stop')
  })

  it('a script streams parts in the order of the contract, text in several deltas', async () => {
    const { parts } = await stream(await open('agents: {A: [{say: one two three, call: [{tool: t}]}]}'))

    expect(parts.map(({ type }) => type)).toEqual([
      'stream-start',
      'text-start',
      'text-delta',
      'text-delta',
      'text-delta',
      'text-end',
      'tool-call',
      'finish',
    ])
  })

  it('a script starts at its first step for every run', async () => {
    const handle = await load('agents: {A: [{say: first}, {say: second}]}')
    const one = handle.open({ agent: 'A', runId: '1' })
    const two = handle.open({ agent: 'A', runId: '2' })

    expect((await stream(one)).text).toBe('first')
    expect((await stream(one)).text).toBe('second')
    expect((await stream(two)).text).toBe('first')
  })

  it('a script plays the steps of * for an agent that has none of its own', async () => {
    const handle = await load("agents: {A: [{say: own}], '*': [{say: any}]}")

    expect((await stream(handle.open({ agent: 'A', runId: '1' }))).text).toBe('own')
    expect((await stream(handle.open({ agent: 'B', runId: '2' }))).text).toBe('any')
    expect((await stream(handle.open({ agent: 'toString', runId: '3' }))).text).toBe('any')
  })

  it('a script fails like a provider and continues with the next step', async () => {
    const model = await open(
      'agents: {A: [{fail: {status: 429, retryAfter: 1500ms, message: slow down}}, {say: ok}]}',
    )

    const error = await errorOf(stream(model))

    expect(APICallError.isInstance(error)).toBe(true)
    expect(error).toMatchObject({
      statusCode: 429,
      isRetryable: true,
      message: 'slow down',
      responseHeaders: { 'retry-after': '2', 'retry-after-ms': '1500' },
    })
    expect((await stream(model)).text).toBe('ok')
  })

  it.each([
    [400, false],
    [401, false],
    [429, true],
    [500, true],
    [529, true],
  ])('a script marks status %i as retryable: %s', async (status, isRetryable) => {
    const error = await errorOf(stream(await open(`agents: {A: [{fail: {status: ${status}}}]}`)))

    expect(error).toMatchObject({ statusCode: status, isRetryable })
  })

  it('a script ends with model_script_exhausted, which names agent, file and call', async () => {
    const model = await open('agents: {A: [{say: ok}]}')
    await stream(model)

    const error = await errorOf(stream(model))

    expect(error).toMatchObject({ code: 'model_script_exhausted' })
    expect(String(error)).toMatch(/play\.yaml: the script has 1 step for "A"; this is model call 2/u)
  })

  it('a script falls back to the first rule that matches the last text of the user', async () => {
    const model = await open(`
rules:
  - {when: '^(good )?bye', say: see you}
  - {when: 'name is (?<name>\\w+)', say: 'hello to: {{input}}'}
`)
    const ask = async (text: string): Promise<string> =>
      (await stream(model, { prompt: [userMessage('hi'), userMessage(text)] })).text

    expect(await ask('good bye')).toBe('see you')
    expect(await ask('my name is Ada')).toBe('hello to: my name is Ada')
    expect(await errorOf(ask('what?'))).toMatchObject({ code: 'model_script_exhausted' })
  })

  it('a script lets a rule that says something answer the results of a rule that calls', async () => {
    const model = await open(`
rules:
  - {when: time, call: [{tool: agent__Time, args: {city: Rome}}]}
  - {when: time, say: 'It is {{results.0.text}}.'}
`)
    const turns = await loop(model, { prompt: [userMessage('the time?')], answer: () => 'noon' })

    expect(turns.map(({ text }) => text)).toEqual(['', 'It is noon.'])
  })

  it.each([
    ['agent__Time', 'agent__Time'],
    ['agent  Time', 'agent__Time'],
    ['unknown tool', 'unknown tool'],
  ])('a script calls the tool %s as %s', async (tool, name) => {
    const model = await open(`agents: {A: [{call: [{tool: '${tool}'}]}]}`)

    expect((await stream(model, { tools: [timeTool] })).calls).toMatchObject([{ name }])
  })

  it('a script sends arguments given as text unchanged, so that they can be garbled', async () => {
    const model = await open("agents: {A: [{call: [{tool: t, args: 'not json'}]}]}")

    const { content } = await model.doGenerate({ prompt: [userMessage('hi')] })

    expect(content).toMatchObject([{ type: 'tool-call', input: 'not json' }])
  })

  it('a script names file, agent and step when a placeholder has no value', async () => {
    const model = await open("agents: {A: [{say: '{{results.0.text}}'}]}")

    const error = await errorOf(stream(model))

    expect(error).toMatchObject({ code: 'model_script_invalid' })
    expect(String(error)).toMatch(/play\.yaml: agents\.A, step 1: \{\{results\.0\.text\}\} has no value/u)
  })

  it('a script reports the usage of the step, or else one estimated from characters', async () => {
    const model = await open(
      'agents: {A: [{say: hello you, usage: {input: 10, output: 5, cacheRead: 4}}, {say: hello you}]}',
    )
    const prompt = [userMessage('x'.repeat(41))]

    const given = (await stream(model, { prompt })).finish.usage
    const counted = (await stream(model, { prompt })).finish.usage

    expect(given.inputTokens).toEqual({ total: 10, noCache: 6, cacheRead: 4, cacheWrite: 0 })
    expect(given.outputTokens.total).toBe(5)
    expect(counted.inputTokens.total).toBe(11)
    expect(counted.outputTokens.total).toBe(3)
  })

  it('a script ends a delay when the call is aborted', async () => {
    const model = await open('agents: {A: [{say: late, delay: 1h}]}')
    const controller = new AbortController()
    const reason = new Error('enough')

    const call = errorOf(stream(model, { abortSignal: controller.signal }))
    controller.abort(reason)

    expect(await call).toBe(reason)
  })

  it('a script waits before it answers', async () => {
    const model = await open('agents: {A: [{say: late, delay: 5ms}]}')

    expect((await stream(model)).text).toBe('late')
  })

  it('a script ends its stream when the call is aborted between parts', async () => {
    const model = await open('agents: {A: [{say: one two three}]}')
    const controller = new AbortController()
    const { stream: parts } = await model.doStream({
      prompt: [userMessage('hi')],
      abortSignal: controller.signal,
    })
    const reader = parts.getReader()
    await reader.read()
    controller.abort(new Error('enough'))

    await expect(
      (async () => {
        while (!(await reader.read()).done);
      })(),
    ).rejects.toThrow('enough')
  })

  it('a script costs nothing and accepts any number of tools', async () => {
    const handle = await load('agents: {A: []}')

    expect(handle).toMatchObject({ id: 'script/scripts/play.yaml', provider: 'script' })
    expect(handle.price).toEqual({ input: 0, output: 0 })
    expect(handle).not.toHaveProperty('maxTools')
  })

  it('a script is refused as a whole when it is invalid', async () => {
    await expect(load('agents: {A: [{}]}')).rejects.toMatchObject({ code: 'model_script_invalid' })
    await expect(resolveModel('script/none.yaml', contextOf())).rejects.toMatchObject({
      code: 'model_script_invalid',
    })
  })
})
