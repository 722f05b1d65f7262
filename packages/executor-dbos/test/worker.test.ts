import { defineAgent, defineTool, type RunEvent } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { describe, expect, it } from 'vitest'
import { newDatabase, openServer, openWorker } from './support/cluster.ts'

const CLERK = defineAgent({
  name: 'Clerk',
  description: 'Repeats.',
  instruction: 'Repeat.',
  model: 'passthrough',
})

function leadOf(count: number, fields = {}) {
  const model = scriptedModel((prompt) => {
    const results = prompt.filter(({ role }) => role === 'tool').length
    if (results > 0) return { text: 'All done.' }
    return {
      calls: Array.from({ length: count }, (_, index) => ({
        tool: 'agent__Clerk',
        args: { text: `n${index}` },
      })),
    }
  })
  const lead = defineAgent({
    name: 'Lead',
    description: 'Leads.',
    instruction: 'Lead.',
    model: 'test/lead',
    agents: ['Clerk'],
    limits: { maxParallel: count, maxToolCallsPerTurn: count },
    default: true,
    ...fields,
  })
  return { cards: [lead, CLERK], models: { 'test/lead': model } }
}

describe('a run on a worker', () => {
  it('a run on a worker ends like one in this process, with the events of its children', async () => {
    const url = await newDatabase()
    const team = leadOf(5)
    await openWorker(url, team)
    const server = await openServer(url, team)
    const events: RunEvent[] = []
    const report = await server.run('Lead', 'Go.', { onEvent: (event) => events.push(event) })
    expect(report).toMatchObject({ outcome: 'completed', output: { text: 'All done.' } })
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(events.filter(({ type }) => type === 'run-end')).toHaveLength(6)
    expect(events.at(-1)).toMatchObject({ type: 'run-end', runId: report.runId })
    expect(report.usage).toMatchObject({ modelCalls: 7, toolCalls: 5 })
  })
})
