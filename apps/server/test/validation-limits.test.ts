import { defineAgent, defineTool, type JsonObject } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { expect, it } from 'vitest'
import { PARROT, serveTeam } from './support/serve-team.ts'

const PATTERNS: JsonObject = {
  type: 'object',
  patternProperties: Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [`^zz${at}x`, { type: 'string' }]),
  ),
}
const KEYS = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, 1]))

function post(url: string, body: unknown): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', accept: 'application/json' },
  })
}

it('an answer that takes too much work to validate fails its run with output_schema_mismatch', async () => {
  const one = defineAgent({ name: 'One', description: 'Answers.', instruction: 'Answer.', model: 'test/one' })
  const model = scriptedModel(() => ({ text: JSON.stringify(KEYS) }))
  const { url } = await serveTeam({ cards: [one, PARROT], models: { one: model } })
  const response = await post(`${url}/v1/One`, { q: 'Hi', schema: PATTERNS })
  expect(await response.json()).toMatchObject({
    outcome: 'failed',
    error: { code: 'output_schema_mismatch', message: expect.stringMatching(/too much work/u) },
  })
  expect(model.calls).toHaveLength(2)
  expect(await (await fetch(`${url}/v1/Parrot?q=Hi`)).text()).toBe('Hi')
})

it('a tool call whose arguments take too much work to validate is rejected, and its run continues', async () => {
  let calls = 0
  const act = defineTool({
    name: 'act',
    description: 'Acts.',
    input: PATTERNS,
    execute: () => {
      calls += 1
      return 'done'
    },
  })
  const one = defineAgent({
    name: 'One',
    description: 'Acts.',
    instruction: 'Act.',
    model: 'test/one',
    functionTools: [act],
  })
  const model = scriptedModel([{ calls: [{ tool: 'act', args: KEYS }] }, { text: 'It could not be done.' }])
  const { url } = await serveTeam({ cards: [one], models: { one: model } })
  const response = await fetch(`${url}/v1/One?q=Hi`)
  expect([response.status, await response.text(), calls]).toEqual([200, 'It could not be done.', 0])
  expect(JSON.stringify(model.calls[1]?.prompt.at(-1))).toMatch(
    /arguments of act do not match.*too much work/u,
  )
})

it('a body with too many values or keys is rejected', async () => {
  const { url } = await serveTeam({ cards: [PARROT], limits: { maxBodyBytes: 4 * 1024 * 1024 } })
  const values = await post(`${url}/v1/Parrot`, { input: { a: Array.from({ length: 500_001 }, () => 1) } })
  expect([values.status, await values.text()]).toEqual([
    400,
    expect.stringMatching(/more than 500000 values/u),
  ])
  const many = Object.fromEntries(Array.from({ length: 100_001 }, (_, at) => [`k${at}`, 1]))
  const keys = await post(`${url}/v1/Parrot`, { input: many })
  expect([keys.status, await keys.text()]).toEqual([400, expect.stringMatching(/more than 100000 keys/u)])
})
