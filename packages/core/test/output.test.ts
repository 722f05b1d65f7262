import { openSession } from '@troupe/core'
import type { AgentFields, Json, JsonObject } from '@troupe/schema'
import type { RunResult } from '@troupe/schema/ports'
import { scriptedModel } from '@troupe/testkit'
import { recordEvents, verifies } from '@troupe/testkit/internal'
import { createValidator } from '@troupe/tools'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const NUMBERS: JsonObject = { type: 'array', items: { type: 'number' } }

describe('a JSON answer', () => {
  it.each<[Json, JsonObject]>([
    [[1, 2], NUMBERS],
    ['yes', { enum: ['yes', 'no'] }],
    [3, { type: 'integer' }],
    [null, { type: 'null' }],
    [true, { type: 'boolean' }],
  ])('a JSON answer may be %j if its schema allows that', async (value, schema) => {
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
  ])('a JSON answer of %j is rejected if its schema does not allow it', async (value, schema) => {
    const result = await answer(JSON.stringify(value), { format: 'json', schema })
    expect(result).toMatchObject({ outcome: 'failed', failure: { code: 'output_schema_mismatch' } })
    expect(result.value).toBeUndefined()
    expect(JSON.parse(result.text)).toEqual(value)
  })

  it('a JSON answer gets the defaults of its schema', async () => {
    const schema = { type: 'object', properties: { tone: { type: 'string', default: 'dry' } } }
    expect((await answer('{}', { format: 'json', schema })).value).toEqual({ tone: 'dry' })
  })

  it('an answer that is not JSON fails if there is a schema', async () => {
    const result = await answer('Well, it is 3.', { format: 'json', schema: { type: 'integer' } })
    expect(result).toMatchObject({ outcome: 'failed', failure: { message: 'The answer is not valid JSON.' } })
  })
})

describe(`a text answer if JSON is required without a schema ${verifies('C88', 'R19')}`, () => {
  it('a text answer is wrapped with its format, as value and as text', async () => {
    const result = await answer('# Title\nwords', { format: 'json' })
    const value = { format: 'markdown', content: '# Title\nwords' }
    expect(result).toMatchObject({ outcome: 'completed', value })
    expect(JSON.parse(result.text)).toEqual(value)
  })

  it('a wrapped answer stays in the conversation as the model wrote it, and is wrapped in the run-end event', async () => {
    const record = recordEvents()
    const result = await answer('words', { format: 'json' }, { listener: record.listener })
    const value = { format: 'markdown', content: 'words' }
    expect(record.of('run-end')).toMatchObject([{ output: { format: 'json', value } }])
    expect(result.messages.at(-1)).toMatchObject({ content: [{ type: 'text', text: 'words' }] })
  })

  it('a wrapped answer has the format of the agent if the caller requires JSON', async () => {
    const asked = { wanted: { format: 'json' } } as const
    expect((await answer('plain', { format: 'text' }, asked)).value).toEqual({
      format: 'text',
      content: 'plain',
    })
    expect((await answer('# rich', { format: 'markdown' }, asked)).value).toMatchObject({
      format: 'markdown',
    })
  })

  it('the output is not wrapped if the run has no answer', async () => {
    const model = scriptedModel([])
    const session = openSession({ agent: agentOf({ format: 'json' }), model })
    const result = await session.run('go')
    expect(result.outcome).toBe('failed')
    expect(result.value).toBeUndefined()
  })

  it('the wrapped output is always JSON that contains every word of the answer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, unit: 'grapheme' }), async (text) => {
        const result = await answer(`said: ${text}`, { format: 'json' })
        expect(JSON.parse(result.text)).toEqual({ format: 'markdown', content: `said: ${text}` })
      }),
      { numRuns: 50 },
    )
  })
})

describe('the output contract of the caller', () => {
  const own = { format: 'json', schema: { type: 'array' } } as const

  it('the output contract of the caller is sent to the model and enforced instead of the one of the agent', async () => {
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

  it('the schema of the agent applies if the caller requires JSON without a schema', async () => {
    expect(await answer('{}', own, { wanted: { format: 'json' } })).toMatchObject({ outcome: 'failed' })
    expect(await answer('[]', own, { wanted: { format: 'json' } })).toMatchObject({ outcome: 'completed' })
  })

  it('the caller may require text from an agent that writes JSON', async () => {
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
