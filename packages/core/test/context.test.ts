import { APICallError } from '@ai-sdk/provider'
import { openSession } from '@troupe/core'
import { messageText, type AgentFields, type LanguageModel, type Message } from '@troupe/schema'
import type { ModelHandle } from '@troupe/schema/ports'
import { scriptedModel, type Script } from '@troupe/testkit'
import { recordEvents } from '@troupe/testkit/internal'
import { eventLine, emptyTimeline, reduceTimeline } from '@troupe/timeline'
import { createValidator } from '@troupe/tools'
import { describe, expect, it } from 'vitest'
import { tool } from './team.ts'

const WINDOW = 4000
/** A tool with a result of about 250 tokens. */
const read = tool('read', () => 'lorem ipsum '.repeat(80))
const TURNS = 30

/** Reads repeatedly, then answers; reports the size of its prompt as usage. */
const reader: Script = (prompt) => {
  const usage = { input: Math.ceil(JSON.stringify(prompt).length / 4), output: 5 }
  return turnsIn(prompt) >= TURNS ? { text: 'done', usage } : { calls: [{ tool: 'read', args: {} }], usage }
}

/** The same script for a provider that reports wrong usage. */
const liar: Script = async (prompt, call) => ({
  ...(typeof reader === 'function' ? await reader(prompt, call) : {}),
  usage: { input: 1, output: 1 },
})

/** Wraps a model as a provider with a small window, which rejects longer prompts with an error. */
function strict(model: LanguageModel, window = WINDOW): LanguageModel & { readonly refused: () => number } {
  let refused = 0
  return {
    ...model,
    doStream: (call) => {
      if (JSON.stringify(call.prompt).length / 4 <= window) return model.doStream(call)
      refused += 1
      return Promise.reject(tooLong())
    },
    refused: () => refused,
  }
}

function tooLong(): APICallError {
  return new APICallError({
    message: `This model's maximum context length is ${WINDOW} tokens.`,
    url: 'http://127.0.0.1',
    requestBodyValues: {},
    statusCode: 400,
  })
}

/** Returns the number of turns of a run: those in the prompt and those that were left out. */
function turnsIn(prompt: readonly Message[]): number {
  const shown = prompt.filter(({ role }) => role === 'assistant').length
  const note = prompt.map(messageText).findLast((text) => text.includes('earlier messages'))
  return shown + Number(/(\d+) earlier/u.exec(note ?? '')?.[1] ?? 0) / 2
}

async function run(
  script: Script,
  options: {
    readonly context?: AgentFields['context']
    readonly window?: number | undefined
    readonly contextModel?: LanguageModel
    readonly limits?: AgentFields['limits']
    readonly history?: readonly Message[]
  } = {},
) {
  const scripted = scriptedModel(script)
  const model = strict(scripted)
  const record = recordEvents()
  const handle: ModelHandle = {
    id: 'test/model',
    provider: 'test',
    limiterKey: 'test',
    ...('window' in options
      ? options.window === undefined
        ? {}
        : { contextWindow: options.window }
      : { contextWindow: WINDOW }),
    open: () => model,
  }
  const result = await openSession({
    agent: {
      name: 'A',
      instruction: 'Read it all.',
      ...(options.context === undefined ? {} : { context: options.context }),
      limits: { maxTurns: 400, ...options.limits },
    },
    model: handle,
    ...(options.contextModel === undefined ? {} : { contextModel: options.contextModel }),
    tools: [read],
    validate: createValidator(),
    onEvent: record.listener,
  }).run('Read until you know.', options.history === undefined ? {} : { history: options.history })
  return { result, record, calls: scripted.calls, refused: model.refused() }
}

describe('a conversation near the context window of its model', () => {
  it('a conversation near the window loses old results first, and never the task, the last turns or a result without its call', async () => {
    const { result, record, calls, refused } = await run(reader, { context: { keepTurns: 2 } })
    expect(result).toMatchObject({ outcome: 'completed', text: 'done' })
    expect(refused).toBe(0)
    expect(record.of('context-shortened')[0]).toMatchObject({
      strategy: 'trim',
      reason: 'threshold',
      droppedMessages: 0,
    })
    for (const { prompt } of calls) {
      expect(prompt.map(messageText)).toContain('Read until you know.')
      expectPaired(prompt)
    }
    const last = calls.at(-1)?.prompt ?? []
    expect(JSON.stringify(last.at(-1))).toContain('lorem ipsum')
    expect(calls.some(({ prompt }) => JSON.stringify(prompt).includes('left out to shorten'))).toBe(true)
  })

  it('a shortened conversation keeps its beginning for many turns, so that a provider can cache it', async () => {
    const { record, calls } = await run(reader)
    const shortened = record.of('context-shortened').length
    const changed = calls.filter(({ prompt }, index) => {
      const before = calls[index - 1]?.prompt ?? []
      return before.some((message, at) => message !== prompt[at] && message.role !== 'system')
    })
    expect(changed).toHaveLength(shortened)
    expect(shortened).toBeLessThan(TURNS / 4)
  })

  it('a shortened conversation stays complete in the result of the run', async () => {
    const { result } = await run(reader)
    expect(result.messages).toHaveLength(1 + 2 * TURNS + 1)
    expect(JSON.stringify(result.messages)).not.toContain('left out')
  })

  it('a conversation is summarised by the model that the card names, in a call of its own', async () => {
    const writer = scriptedModel(() => ({ text: 'It read lorem.', usage: { input: 50, output: 5 } }))
    const { result, record, calls } = await run(reader, {
      context: { strategy: 'summarise', keepTurns: 2 },
      contextModel: writer,
    })
    expect(result.outcome).toBe('completed')
    const shortened = record.of('context-shortened')
    expect(shortened[0]).toMatchObject({ strategy: 'summarise', summary: 'It read lorem.' })
    expect(writer.calls).toHaveLength(shortened.length)
    expect(writer.calls[0]?.tools).toEqual([])
    expect(JSON.stringify(writer.calls[0]?.prompt)).toContain('result of read: lorem')
    expect(JSON.stringify(writer.calls[1]?.prompt)).toContain('It read lorem.')
    expect(result.usage.modelCalls).toBe(calls.length + writer.calls.length)
    expect(calls.at(-1)?.prompt.map(messageText).join(' ')).toContain('It read lorem.')
  })

  it('a shortened conversation notes what was removed, in a line and in the view of the run', async () => {
    const writer = scriptedModel(() => ({ text: 'It read lorem.' }))
    const { record } = await run(reader, { context: { strategy: 'summarise' }, contextModel: writer })
    const lines = record.events.map((event) => eventLine(event, { max: 4000 }) ?? '')
    expect(lines.filter((line) => /messages omitted: It read lorem\./u.test(line))).not.toHaveLength(0)
    const { runs } = record.events.reduce(reduceTimeline, emptyTimeline())
    expect(runs[0]?.shortenings[0]).toMatchObject({ summary: 'It read lorem.' })
  })

  it('a conversation is trimmed if it cannot be summarised', async () => {
    const { result, record } = await run(reader, {
      context: { strategy: 'summarise' },
      contextModel: scriptedModel(() => ({ text: ' ' })),
    })
    expect(result.outcome).toBe('completed')
    expect(record.of('warning')[0]).toMatchObject({ code: 'model_empty_answer' })
    expect(record.of('context-shortened')[0]).toMatchObject({ strategy: 'trim' })
  })

  it('a conversation that another run began is shortened, but not the input of this run', async () => {
    const history = Array.from({ length: 60 }, (_, at): Message[] => [
      { role: 'user', content: [{ type: 'text', text: `question ${at} ${'blah '.repeat(60)}` }] },
      { role: 'assistant', content: [{ type: 'text', text: `answer ${at}` }] },
    ]).flat()
    const { result, calls, refused } = await run([{ text: 'done' }], { history })
    expect(result.outcome).toBe('completed')
    expect(refused).toBe(0)
    const texts = calls[0]?.prompt.map(messageText) ?? []
    expect(texts.at(-1)).toBe('Read until you know.')
    expect(texts.join(' ')).toContain('answer 59')
    expect(texts.join(' ')).not.toContain('answer 1 ')
  })

  it('a conversation is shortened earlier if the card says so', async () => {
    const late = await run(reader)
    const early = await run(reader, { context: { threshold: 0.4 } })
    const first = ({ record }: typeof late): number => record.of('context-shortened')[0]?.turn ?? 0
    expect(first(early)).toBeLessThan(first(late))
  })
})

describe('a request that the provider rejects as too long', () => {
  it('a request that is too long is shortened and sent again if no context window is known', async () => {
    const { result, record, refused } = await run(reader, { window: undefined })
    expect(result.outcome).toBe('completed')
    expect(refused).toBe(record.of('context-shortened').length)
    expect(record.of('context-shortened')[0]).toMatchObject({ reason: 'overflow' })
  })

  it('a request that is too long is shortened if the token count of the provider was wrong before', async () => {
    const { result, refused } = await run(liar)
    expect(result.outcome).toBe('completed')
    expect(refused).toBeGreaterThan(0)
  })

  it('a request that is too long a second time fails the run, without a loop', async () => {
    let asked = 0
    const model: LanguageModel = {
      ...scriptedModel([]),
      doStream: () => {
        asked += 1
        return Promise.reject(tooLong())
      },
    }
    const history: Message[] = Array.from({ length: 30 }, (_, at) => ({
      role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: [{ type: 'text' as const, text: 'blah '.repeat(100) }],
    }))
    const result = await openSession({ agent: { name: 'A', instruction: 'Go.' }, model }).run('go', {
      history,
    })
    expect(result).toMatchObject({ outcome: 'failed', failure: { code: 'context_overflow' } })
    expect(asked).toBe(2)
  })

  it('a request that is too long fails the run at once if nothing can be removed or the card says `fail`', async () => {
    const huge = 'blah '.repeat(5000)
    const history: Message[] = [{ role: 'user', content: [{ type: 'text', text: huge }] }]
    const plain = await run([], { history: [], window: undefined })
    expect(plain.record.of('context-shortened')).toEqual([])
    const failing = await run([], { history, window: undefined, context: { strategy: 'fail' } })
    expect(failing.result.failure?.code).toBe('context_overflow')
    expect(failing.refused).toBe(1)
  })
})

/** Asserts that every call has its result in the next message, and every result its call in the previous one. */
function expectPaired(prompt: readonly Message[]): void {
  const results = prompt.map((message) => idsOf(message, 'tool-result'))
  const calls = prompt.map((message) => idsOf(message, 'tool-call'))
  expect(results).toEqual([[], ...calls.slice(0, -1)])
}

function idsOf({ content }: Message, type: 'tool-call' | 'tool-result'): readonly string[] {
  if (typeof content === 'string') return []
  return content.flatMap((part) => (part.type === type && 'toolCallId' in part ? [part.toolCallId] : []))
}
