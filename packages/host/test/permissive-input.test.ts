import { defineAgent } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { recordEvents, verifies } from '@troupe/testkit/internal'
import { expect, it, onTestFinished } from 'vitest'
import { createHost } from '../src/index.ts'

const ASKED = [
  [{ json: 5 }, '5'],
  [{ json: 'as it is' }, 'as it is'],
  [{ json: null }, 'null'],
  [{ json: [1, { a: 2 }] }, '[1,{"a":2}]'],
  [{ text: 7 }, '{"text":7}'],
  [{ json: { city: 'Zürich' } }, '{"city":"Zürich"}'],
] as const

async function teamOf(): Promise<{
  readonly parent: ReturnType<typeof scriptedModel>
  readonly host: Awaited<ReturnType<typeof createHost>>
}> {
  const calls = ASKED.map(([args]) => ({ tool: 'agent__Child', args }))
  const parent = scriptedModel([{ calls }, { text: 'done' }])
  const child = defineAgent({ name: 'Child', instruction: 'Help.', model: 'passthrough' })
  const fields = { name: 'Parent', instruction: 'Ask.', model: 'test/parent', agents: [child] }
  const host = await createHost({
    cards: [defineAgent(fields)],
    cwd: import.meta.dirname,
    config: false,
    models: { 'test/parent': parent },
  })
  onTestFinished(() => host.close())
  return { parent, host }
}

it(`whatever a model sends to a child without an input schema becomes its message ${verifies('A43', 'A44', 'A45', 'R3')}`, async () => {
  const { parent, host } = await teamOf()
  const recorded = recordEvents()
  await host.run('Parent', 'go', { onEvent: recorded.listener })
  const inputs = recorded.events.flatMap((event) =>
    event.type === 'run-start' && event.agent === 'Child' ? [event.input] : [],
  )
  expect(inputs.toSorted()).toEqual(ASKED.map(([, input]) => input).toSorted())
  expect(parent.calls[0]?.options.tools?.[0]).toMatchObject({
    inputSchema: { properties: { text: { type: 'string' }, json: { type: 'object' } } },
  })
})

it.each(ASKED)(
  `whatever a program passes to an agent without an input schema becomes its message: %j ${verifies('A44', 'A45')}`,
  async (args, input) => {
    const { host } = await teamOf()
    expect(await host.run('Child', args)).toMatchObject({ outcome: 'completed', output: { text: input } })
  },
)
