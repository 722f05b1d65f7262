import { createHost } from '@troupe/host'
import { defineAgent, type AgentDefinition, type AgentFields, type RunReport } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { recordEvents, verifies } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const members = ['a', 'b', 'c'].map((name) =>
  defineAgent({ name, description: name, instruction: 'Work.', model: 'test/greedy' }),
)
const [a, b, c] = members as [AgentDefinition, AgentDefinition, AgentDefinition]

/** One root for each type; their models answer as the pattern asks, and members use all the output they get. */
const ROOTS: Readonly<Record<string, Partial<AgentFields>>> = {
  chain: { type: 'chain', sequence: ['a', 'b', 'c'] },
  parallel: { type: 'parallel', fanOut: ['a', 'b'], fanIn: 'c' },
  router: { type: 'router', agents: [a, b, c], model: 'test/router' },
  orchestrator: { type: 'orchestrator', agents: [a, b, c], model: 'test/planner' },
  evaluator_optimizer: { type: 'evaluator_optimizer', generator: 'a', evaluator: 'b' },
}

describe(`a budget over a composition ${verifies('C51', 'R20')}`, () => {
  for (const [type, fields] of Object.entries(ROOTS)) {
    it(`a composition of the type ${type} never exceeds its budget, and the error names the limit and where it is set`, async () => {
      const outcomes = new Set<string>()
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 20, max: 20_000 }), async (maxTokens) => {
          const { report, refusals } = await runCapped(fields, maxTokens)
          const { inputTokens, outputTokens } = report.usage
          expect(inputTokens + outputTokens).toBeLessThanOrEqual(maxTokens)
          outcomes.add(report.outcome)
          expect(['completed', 'partial', 'budget']).toContain(report.outcome)
          for (const message of refusals) expect(message).toContain('(limits.maxTokens in defineAgent(root))')
          expect(explain(report)).toMatch(/^completed$|limits\.maxTokens|rating/u)
        }),
        { numRuns: 40, examples: [[20], [700], [20_000]] },
      )
      expect(outcomes).toContain('budget')
    })
  }

  it('a composition that fits its budget completes', async () => {
    const { report } = await runCapped({ ...ROOTS['chain'], maxOutputTokens: 50 }, 60_000)
    expect(report).toMatchObject({ outcome: 'completed' })
  })

  it('a composition keeps its intermediate results when its budget is used up', async () => {
    const { report } = await runCapped(ROOTS['chain'] ?? {}, 1500)
    expect(report).toMatchObject({ outcome: 'budget', output: { text: 'a' } })
  })
})

async function runCapped(
  fields: Partial<AgentFields>,
  maxTokens: number,
): Promise<{ readonly report: RunReport; readonly refusals: readonly string[] }> {
  const root = defineAgent({ ...fields, name: 'root', instruction: 'Lead.', limits: { maxTokens } })
  const host = await createHost({
    cards: [root, ...members],
    models: { 'test/greedy': greedy(), 'test/router': says('{"agent":"b"}'), 'test/planner': planner() },
    cwd: import.meta.dirname,
    config: false,
  })
  const record = recordEvents()
  try {
    const report = await host.run('root', 'go', { onEvent: record.listener })
    const errors = record.of('run-end').map((event) => event.error)
    const refusals = errors.flatMap((error) => (error?.code === 'budget_exceeded' ? [error.message] : []))
    return { report, refusals }
  } finally {
    await host.close()
  }
}

/** Tells a short word, and uses every token it may. */
function greedy(): ReturnType<typeof scriptedModel> {
  return scriptedModel((_prompt, { options }) => ({
    text: 'a',
    usage: { input: 10, output: options.maxOutputTokens ?? 0 },
  }))
}

function says(text: string): ReturnType<typeof scriptedModel> {
  return scriptedModel(() => ({ text, usage: { input: 20, output: 20 } }))
}

function planner(): ReturnType<typeof scriptedModel> {
  const tasks = [a, b, c].map(({ name }) => ({ agent: name, task: 'go' }))
  return scriptedModel((_prompt, { index }) => ({
    text: JSON.stringify({ tasks, done: index % 2 === 1 }),
    usage: { input: 20, output: 40 },
  }))
}

function explain({ outcome, error }: RunReport): string {
  return outcome === 'completed' ? outcome : `${outcome}: ${error?.message}`
}
