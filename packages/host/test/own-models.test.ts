import { defineAgent } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { expect, it } from 'vitest'
import { createHost } from '../src/index.ts'

it('a function in the models of a host returns the model of each run', async () => {
  const clerk = defineAgent({
    name: 'clerk',
    description: 'Counts.',
    instruction: 'Count.',
    model: 'test/any',
  })
  const lead = defineAgent({
    name: 'lead',
    instruction: 'Lead.',
    model: 'test/any',
    default: true,
    agents: [clerk],
  })
  const opened: string[] = []
  const host = await createHost({
    cards: [lead],
    config: false,
    models: {
      'test/any': ({ agent }) => {
        opened.push(agent)
        return agent === 'clerk'
          ? scriptedModel([{ text: 'Three.' }])
          : scriptedModel([
              { calls: [{ tool: 'agent__clerk', args: { text: 'apples' } }] },
              { text: 'It is three.' },
            ])
      },
    },
  })
  const { output, outcome } = await host.run(undefined, 'How many?')
  await host.close()
  expect([outcome, output.text]).toEqual(['completed', 'It is three.'])
  expect(opened).toEqual(['lead', 'clerk'])
})
