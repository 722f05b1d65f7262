import { openSession } from '@troupe/core'
import type { JsonObject } from '@troupe/schema'
import type { RunResult } from '@troupe/schema/ports'
import { scriptedModel, type ScriptedStep } from '@troupe/testkit'
import { recordEvents, verifies } from '@troupe/testkit/internal'
import { createValidator } from '@troupe/tools'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

const PLACE: JsonObject = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
}

describe(`an answer that does not match its schema ${verifies('C25')}`, () => {
  it('an answer that does not match its schema gets one retry, with the problem as input', async () => {
    const { result, model, record } = await ask([{ text: '{"city":3}' }, { text: '{"city":"Rome"}' }])
    expect(result).toMatchObject({ outcome: 'completed', value: { city: 'Rome' } })
    const [, second] = model.calls
    expect(second?.prompt.at(-1)).toMatchObject({
      role: 'user',
      content: [{ text: expect.stringMatching(/city.*\n.*complete answer/su) }],
    })
    expect(second?.options.responseFormat).toEqual({ type: 'json', schema: PLACE })
    expect(record.of('warning')).toMatchObject([
      {
        code: 'output_schema_mismatch',
        message: expect.stringMatching(/city.*[^.]\. The model gets one retry\.$/u),
      },
    ])
    expect(record.of('usage')).toHaveLength(2)
    expect(record.of('turn-start').map(({ turn }) => turn)).toEqual([1, 2])
  })

  it('an answer that does not match its schema fails the run if the second one does not match either', async () => {
    const { result, model } = await ask([{ text: 'Rome' }, { text: 'It is Rome.' }])
    expect(result).toMatchObject({ outcome: 'failed', failure: { code: 'output_schema_mismatch' } })
    expect(result.value).toBeUndefined()
    expect(result.text).toBe('It is Rome.')
    expect(model.calls).toHaveLength(2)
  })

  it('the retry of an answer that was cut off by the output token limit requests a shorter one', async () => {
    const cut: ScriptedStep = { text: '{"city":"Ro', finish: 'length' }
    const { result, model } = await ask([cut, { text: '{"city":"Rome"}' }])
    expect(result).toMatchObject({ outcome: 'completed', value: { city: 'Rome' } })
    expect(JSON.stringify(model.calls[1]?.prompt.at(-1))).toContain('cut off')
  })

  it('an answer that does not match its schema fails the run if the model cannot be called again', async () => {
    const { result } = await ask([{ text: '[]' }])
    expect(result).toMatchObject({ outcome: 'failed', failure: { code: 'output_schema_mismatch' } })
  })

  it('an answer that does not match its schema stays in the conversation beside the one that does', async () => {
    const { result } = await ask([{ text: '[]' }, { text: '{"city":"Rome"}' }])
    expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  })
})

describe('JSON that matches a schema', () => {
  it.each([
    ['in a fence', '```json\n{"city":"Rome"}\n```'],
    ['in a fence of no language', '```\n{"city":"Rome"}\n```\n'],
    ['in a fence with words around it', 'Here it is:\n```json\n{"city":"Rome"}\n```\nAnything else?'],
    ['with a fence inside', '{"city":"Rome","code":"```x```"}'],
    ['in a fence with a fence inside', '```json\n{"city":"Rome","code":"```x```"}\n```'],
  ])('JSON is found %s', async (_, text) => {
    expect((await ask([{ text }])).result).toMatchObject({ outcome: 'completed', value: { city: 'Rome' } })
  })

  it('JSON is not taken from one of several fences', async () => {
    const { result } = await ask([
      { text: '```json\n{"city":"Rome"}\n```\nor\n```json\n{"city":"Oslo"}\n```' },
    ])
    expect(result.failure?.code).toBe('output_schema_mismatch')
  })

  it('JSON may be described by a zod schema', async () => {
    const model = scriptedModel([
      { text: '{"city":"Rome","size":"big"}' },
      { text: '{"city":"Rome","size":3}' },
    ])
    const result = await openSession({
      agent: {
        name: 'A',
        instruction: 'Answer.',
        output: { schema: z.object({ city: z.string(), size: z.number() }) },
      },
      model,
      validate: createValidator(),
    }).run('go')
    expect(result).toMatchObject({ outcome: 'completed', value: { city: 'Rome', size: 3 } })
  })
})

async function ask(steps: readonly ScriptedStep[]) {
  const model = scriptedModel(steps)
  const record = recordEvents()
  const result: RunResult = await openSession({
    agent: { name: 'A', instruction: 'Answer.', output: { format: 'json', schema: PLACE } },
    model,
    validate: createValidator(),
    onEvent: record.listener,
  }).run('go')
  return { result, model, record }
}
