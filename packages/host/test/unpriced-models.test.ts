import { expect, it } from 'vitest'
import { card, openTeam } from './support/open-team.ts'

it('a plan lists models without a price, and warns about them if there is a cost limit', async () => {
  const host = await openTeam({
    'a.md': card({ name: 'A', model: ['ollama/llama3', 'openai/gpt-5-mini'], agents: ['B'], default: true }),
    'b.md': card({ name: 'B', model: 'ollama/llama3', limits: { maxCost: 0.5 } }),
  })
  const { agents, problems } = host.plan()
  expect(agents.map(({ unpriced }) => unpriced)).toEqual([['ollama/llama3'], ['ollama/llama3']])
  expect(agents[0]?.prices).toMatchObject([{ model: 'openai/gpt-5-mini', input: 0.25, seen: '2025-12-27' }])
  const told = problems.filter(({ code }) => code === 'model_unpriced')
  expect(told).toMatchObject([{ agent: 'B', severity: 'warning' }])
  expect(told[0]?.message).toContain('ollama/llama3')
  expect(told[0]?.fix).toContain('providers.<name>.prices')
})
