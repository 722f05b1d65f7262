import { openSession } from '@troupe/core'
import type { AgentFields, Json, JsonObject, RunResult } from '@troupe/schema'
import { recordEvents, scriptedModel, verifies } from '@troupe/testkit'
import { createValidator } from '@troupe/tools'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const NUMBERS: JsonObject = { type: 'array', items: { type: 'number' } }

describe('an answer in JSON', () => {
  it.each<[Json, JsonObject]>([
    [[1, 2], NUMBERS],
    ['yes', { enum: ['yes', 'no'] }],
    [3, { type: 'integer' }],
    [null, { type: 'null' }],
    [true, { type: 'boolean' }],
  ])('may be %j, as its schema says', async (value, schema) => {
    expect(await answer(JSON.stringify(value), { format: 'json', schema })).toMatchObject({
      outcome: 'completed',
      value,
    })
  })

  it.each<[Json, JsonObject]>([
    [['a'], NUMBERS],
    [[], { type: 'object' }],
    ['maybe', { enum: ['yes', 'no'] }],
    [null, { type: 'object' }],
    [1.5, { type: 'integer' }],
  ])('that is %j does not pass where its schema says otherwise', async (value, schema) => {
    const result = await answer(JSON.stringify(value), { format: 'json', schema })
    expect(result).toMatchObject({ outcome: 'failed', failure: { code: 'output_schema_mismatch' } })
    expect(result.value).toBeUndefined()
    expect(JSON.parse(result.text)).toEqual(value)
  })

  it('gets the defaults of its schema', async () => {
    const schema = { type: 'object', properties: { tone: { type: 'string', default: 'dry' } } }
    expect((await answer('{}', { format: 'json', schema })).value).toEqual({ tone: 'dry' })
  })

  it('that is none fails where a schema says what it must be', async () => {
    const result = await answer('Well, it is 3.', { format: 'json', schema: { type: 'integer' } })
    expect(result).toMatchObject({ outcome: 'failed', failure: { message: 'The answer is not valid JSON.' } })
  })
})

describe(`an answer in words where JSON is wanted and no schema is given ${verifies('C88', 'R19')}`, () => {
  it('is wrapped with its format, as value and as text', async () => {
    const result = await answer('# Title\nwords', { format: 'json' })
    const value = { format: 'markdown', content: '# Title\nwords' }
    expect(result).toMatchObject({ outcome: 'completed', value })
    expect(JSON.parse(result.text)).toEqual(value)
  })

  it('stays in the conversation as the model wrote it, and is wrapped in the event of its end', async () => {
    const record = recordEvents()
    const result = await answer('words', { format: 'json' }, { listener: record.listener })
    const value = { format: 'markdown', content: 'words' }
    expect(record.of('run-end')).toMatchObject([{ output: { format: 'json', value } }])
    expect(result.messages.at(-1)).toMatchObject({ content: [{ type: 'text', text: 'words' }] })
  })

  it('has the format of an agent whose caller wants JSON', async () => {
    const asked = { wanted: { format: 'json' } } as const
    expect((await answer('plain', { format: 'text' }, asked)).value).toEqual({
      format: 'text',
      content: 'plain',
    })
    expect((await answer('# rich', { format: 'markdown' }, asked)).value).toMatchObject({
      format: 'markdown',
    })
  })

  it('is not wrapped where the run has no answer', async () => {
    const model = scriptedModel([])
    const session = openSession({ agent: agentOf({ format: 'json' }), model })
    const result = await session.run('go')
    expect(result.outcome).toBe('failed')
    expect(result.value).toBeUndefined()
  })

  it('always comes out as JSON that holds every word of it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, unit: 'grapheme' }), async (text) => {
        const result = await answer(`said: ${text}`, { format: 'json' })
        expect(JSON.parse(result.text)).toEqual({ format: 'markdown', content: `said: ${text}` })
      }),
      { numRuns: 50 },
    )
  })
})

describe('the form a caller wants', () => {
  const own = { format: 'json', schema: { type: 'array' } } as const

  it('is asked of the model and held to in place of that of the agent', async () => {
    const model = scriptedModel([{ text: '[1]' }])
    const wanted = { format: 'json', schema: { type: 'object' } } as const
    const result = await openSession({
      agent: agentOf(own),
      model,
      validate: createValidator(),
    }).run('go', { output: wanted })
    expect(model.calls[0]?.options.responseFormat).toEqual({ type: 'json', schema: wanted.schema })
    expect(result.failure?.code).toBe('output_schema_mismatch')
  })

  it('is that of the agent where it wants JSON and names no schema', async () => {
    expect(await answer('{}', own, { wanted: { format: 'json' } })).toMatchObject({ outcome: 'failed' })
    expect(await answer('[]', own, { wanted: { format: 'json' } })).toMatchObject({ outcome: 'completed' })
  })

  it('may be text of an agent that writes JSON', async () => {
    const result = await answer('words', own, { wanted: { format: 'text' } })
    expect(result).toMatchObject({ outcome: 'completed', text: 'words' })
    expect(result.value).toBeUndefined()
  })
})

function agentOf(output: NonNullable<AgentFields['output']>) {
  return { name: 'A', instruction: 'Answer.', output }
}

function answer(
  text: string,
  output: NonNullable<AgentFields['output']>,
  options: {
    readonly wanted?: { readonly format: 'text' | 'json' }
    readonly listener?: ReturnType<typeof recordEvents>['listener']
  } = {},
): Promise<RunResult> {
  return openSession({
    agent: agentOf(output),
    model: scriptedModel([{ text }]),
    validate: createValidator(),
    ...(options.listener === undefined ? {} : { onEvent: options.listener }),
  }).run('go', options.wanted === undefined ? {} : { output: options.wanted })
}
