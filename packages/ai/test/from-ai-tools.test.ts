import type { RunOptions, RunReport, ToolResult } from '@troupe/schema'
import { scriptedModel, type ScriptedModel } from '@troupe/testkit'
import { deferred, recordEvents } from '@troupe/testkit/internal'
import { dynamicTool, jsonSchema, tool, type ToolSet } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { fromAiTools, type AiToolOptions } from '../src/index.ts'
import { agentA, openHost } from './support/open-host.ts'

/** Calls the tool `t` of an agent with arguments, as its model. */
async function call(
  tools: ToolSet,
  args: object,
  { options = {}, ...runOptions }: RunOptions & { readonly options?: AiToolOptions } = {},
): Promise<{ readonly report: RunReport; readonly model: ScriptedModel; readonly result: unknown }> {
  const model = scriptedModel([{ calls: [{ tool: 't', args }] }, { text: 'done' }])
  const host = await openHost([agentA({ functionTools: fromAiTools(tools, options) })], {
    'test/a': model,
  })
  const report = await host.run('A', 'go', runOptions)
  const [part] = (model.calls[1]?.prompt.at(-1)?.content ?? []) as readonly { readonly output?: unknown }[]
  return { report, model, result: part?.output }
}

/** Calls the tool `t` once and returns its result. */
async function resultOf(tools: ToolSet, args: object, options: AiToolOptions = {}): Promise<ToolResult> {
  const functionTools = fromAiTools(tools, options)
  const host = await openHost([agentA({ functionTools })], { 'test/a': scriptedModel([]) })
  return host.callTool('A', 't', args as never)
}

const description = 'Does t.'

describe('tools of the AI SDK', () => {
  it('a tool with a zod schema is offered to the model and gets the transformed arguments', async () => {
    const double = tool({
      description: 'Doubles.',
      inputSchema: z.object({ n: z.string().transform(Number), by: z.number().default(2) }),
      execute: ({ n, by }) => ({ product: n * by }),
    })
    const { model, result } = await call({ t: double }, { n: '21' })
    expect(model.calls[0]?.options.tools).toMatchObject([
      { name: 't', description: 'Doubles.', inputSchema: { properties: { n: { type: 'string' } } } },
    ])
    expect(result).toEqual({ type: 'text', value: '{"product":42}' })
  })

  it('a dynamic tool with a JSON Schema gets arguments that match it, and its own check applies too', async () => {
    const t = dynamicTool({
      description,
      inputSchema: jsonSchema<{ even: number }>(
        { type: 'object', properties: { even: { type: 'integer' } }, required: ['even'] },
        {
          validate: (value) =>
            (value as { even: number }).even % 2 === 0
              ? { success: true, value: value as { even: number } }
              : { success: false, error: new Error('it is odd') },
        },
      ),
      execute: (input) => JSON.stringify(input),
    })
    expect(await resultOf({ t }, { even: 2 })).toMatchObject({
      outcome: 'completed',
      content: [{ type: 'text', text: '{"even":2}' }],
    })
    expect(await resultOf({ t }, { even: 3 })).toMatchObject({
      outcome: 'failed',
      failure: { code: 'tool_bad_arguments', message: expect.stringContaining('it is odd') },
    })
    expect(await resultOf({ t }, { even: 'x' })).toMatchObject({ failure: { code: 'tool_bad_arguments' } })
  })

  it('an output that looks like a result of MCP stays JSON', async () => {
    const t = tool({
      description,
      inputSchema: z.object({}),
      execute: () => ({ content: [{ type: 'text', text: 'hidden' }], isError: true }),
    })
    expect(await resultOf({ t }, {})).toMatchObject({ outcome: 'completed', structured: { isError: true } })
  })

  it('the last output of a streaming tool is its result, and the others are progress', async () => {
    const t = tool({
      description,
      inputSchema: z.object({}),
      async *execute() {
        yield 'a'
        yield { half: true }
        yield 'abc'
      },
    })
    const recorded = recordEvents()
    const { result } = await call({ t }, {}, { onEvent: recorded.listener })
    expect(result).toEqual({ type: 'text', value: 'abc' })
    const progress = recorded.events.flatMap((event) => (event.type === 'tool-progress' ? [event.text] : []))
    expect(progress).toEqual(['a', '{"half":true}'])
  })

  it('a tool gets the id of the call, the messages before it and the abort signal of the run', async () => {
    const started = deferred()
    const aborted = deferred()
    let received: unknown
    const t = tool({
      description,
      inputSchema: z.object({}),
      execute: async (_input, { abortSignal, messages, toolCallId }) => {
        received = { messages, toolCallId }
        abortSignal?.addEventListener('abort', () => aborted.resolve())
        started.resolve()
        await aborted.promise
        return 'late'
      },
    })
    const stop = new AbortController()
    const running = call({ t }, {}, { signal: stop.signal })
    await started.promise
    stop.abort()
    await aborted.promise
    expect((await running).report.outcome).toBe('cancelled')
    expect(received).toMatchObject({
      toolCallId: expect.any(String),
      messages: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }],
    })
  })

  it.each([
    [
      { type: 'text', value: 'short' },
      { outcome: 'completed', content: [{ type: 'text', text: 'short' }] },
    ],
    [
      { type: 'json', value: { a: 1 } },
      { outcome: 'completed', structured: { a: 1 } },
    ],
    [
      { type: 'error-text', value: 'bad' },
      { outcome: 'failed', failure: { message: 'bad' } },
    ],
    [
      { type: 'error-json', value: { bad: 1 } },
      { outcome: 'failed', failure: { message: '{"bad":1}' } },
    ],
    [
      { type: 'execution-denied', reason: 'no' },
      { outcome: 'denied', failure: { message: 'no' } },
    ],
    [
      {
        type: 'content',
        value: [
          { type: 'text', text: 'see' },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: new Uint8Array([1, 2, 3]) } },
          { type: 'file', mediaType: 'text/plain', data: { type: 'url', url: new URL('https://x.test/') } },
          { type: 'file', mediaType: 'text/plain', data: { type: 'text', text: 'inside' } },
          { type: 'file-data', mediaType: 'text/plain', data: 'BBBB' },
          { type: 'image-url', url: 'https://y.test/' },
        ],
      },
      {
        outcome: 'completed',
        content: [
          { type: 'text', text: 'see' },
          { type: 'data', mediaType: 'image/png', base64: 'AAAA' },
          { type: 'data', mediaType: 'image/png', base64: 'AQID' },
          { type: 'text', text: 'https://x.test/' },
          { type: 'text', text: 'inside' },
          { type: 'data', mediaType: 'text/plain', base64: 'BBBB' },
          { type: 'text', text: 'https://y.test/' },
        ],
      },
    ],
    [
      { type: 'content', value: [{ type: 'file-id', fileId: 'f1' }] },
      { outcome: 'failed', failure: { message: expect.stringContaining('"file-id"') } },
    ],
  ] as const)('toModelOutput decides what the model reads: %j', async (output, expected) => {
    const t = tool({
      description,
      inputSchema: z.object({ a: z.number() }),
      execute: ({ a }) => ({ a, secret: true }),
      toModelOutput: (given) => {
        expect(given).toEqual({
          toolCallId: expect.any(String),
          input: { a: 1 },
          output: { a: 1, secret: true },
        })
        return output as never
      },
    })
    expect(await resultOf({ t }, { a: 1 })).toMatchObject(expected)
  })

  it('a tool with a context gets it in its description and its calls', async () => {
    const t = tool({
      description: ({ context }) => `Reads ${context.place}.`,
      inputSchema: z.object({}),
      contextSchema: z.object({ place: z.string() }),
      execute: (_input, { context }) => context.place,
    })
    const options = { toolsContext: { t: { place: 'Paris' } } }
    expect(fromAiTools({ t }, options)[0]?.description).toBe('Reads Paris.')
    expect(await resultOf({ t }, {}, options)).toMatchObject({ content: [{ text: 'Paris' }] })
    expect(() => fromAiTools({ t })).toThrow('The tool "t" needs a context.')
  })

  it.each([
    ['without execute', tool({ description, inputSchema: z.object({}), outputSchema: z.string() })],
    [
      'with a promise as schema',
      tool({ description, inputSchema: jsonSchema(Promise.resolve({ type: 'object' })), execute: () => '' }),
    ],
    [
      'of a provider',
      {
        type: 'provider',
        id: 'openai.web_search',
        isProviderExecuted: true,
        args: {},
        inputSchema: z.object({}),
      },
    ],
  ] as const)('a tool %s is refused with its name', (_, given) => {
    expect(() => fromAiTools({ t: given })).toThrow(/tool "t"/u)
  })
})

describe('approval of tools of the AI SDK', () => {
  const asksFor = (needsApproval: unknown): ToolSet => ({
    t: tool({
      description,
      inputSchema: z.object({ amount: z.string().transform(Number) }),
      needsApproval: needsApproval as true,
      execute: ({ amount }) => `paid ${amount}`,
    }),
  })

  it.each([
    ['true', true, '1', true],
    ['false', false, '1', false],
    ['a function that returns true', ({ amount }: { amount: number }) => amount > 10, '11', true],
    ['a function that returns false', ({ amount }: { amount: number }) => amount > 10, '9', false],
    ['a function that resolves to true', () => Promise.resolve(true), '1', true],
    ['a function that resolves to false', () => Promise.resolve(false), '1', false],
    ['a function that throws', () => Promise.reject(new Error('lost')), '1', true],
    [
      'a function that reads the messages',
      (_: unknown, { messages }: { messages: unknown[] }) => messages.length > 9,
      '1',
      true,
    ],
  ] as const)('needsApproval of %s decides who is asked', async (_, needsApproval, amount, isAsked) => {
    const asked: unknown[] = []
    const { result } = await call(
      asksFor(needsApproval),
      { amount },
      {
        approve: ({ toolName, args }) => {
          asked.push([toolName, args])
          return { decision: 'denied', reason: 'too much' }
        },
      },
    )
    expect(asked).toEqual(isAsked ? [['t', { amount }]] : [])
    const shown = isAsked ? 'too much' : `paid ${amount}`
    expect(result).toMatchObject({ value: expect.stringContaining(shown) })
  })

  it('a call that needs approval runs after the approval', async () => {
    const { result } = await call(
      asksFor(true),
      { amount: '5' },
      { approve: () => ({ decision: 'approved' }) },
    )
    expect(result).toMatchObject({ value: 'paid 5' })
  })

  it('a run that cannot ask does not run a call that needs approval', async () => {
    const { result } = await call(
      asksFor(() => true),
      { amount: '5' },
    )
    expect(result).toMatchObject({ type: 'error-text', value: expect.stringContaining('requires approval') })
  })
})
