import { scriptedModel } from '@troupe/testkit'
import { expect, it } from 'vitest'
import { openTeam, stdioServer } from './support/open-team.ts'

const { startTimeout: _timeout, ...server } = stdioServer()
const AGENT = {
  metadata: {
    name: 'Porter',
    description: 'Answers guests.',
    tools: [
      {
        name: 'ask_porter',
        description: 'Asks the porter.',
        parameters: { type: 'object', properties: { question: { type: 'string' } } },
        prompt: 'A guest asks: {question}',
      },
    ],
  },
  settings: { model: 'openai:gpt-5', toolPermission: 'tool' },
  systemPrompt: 'You answer guests.',
  rules: [{ name: 'polite', text: 'Be polite.', include: 'always' }],
  references: [{ name: 'menu', description: 'What there is to eat.', text: 'Soup.', include: 'agent' }],
  mcpServers: {
    house: {
      type: 'stdio',
      ...server,
      serverToolDefaults: { permissionRequired: true, include: 'always' },
      tools: { echo: { permissionRequired: false }, variable: { include: 'manual' } },
    },
  },
}

it('an agent of tsagent runs with its rules, references, servers and exported tools', async () => {
  const model = scriptedModel([
    {
      calls: [
        { tool: 'skill_read', args: { name: 'menu' } },
        { tool: 'house__echo', args: { text: 'hi' } },
      ],
    },
    { text: 'There is soup.' },
  ])
  const host = await openTeam(
    { 'porter.json': JSON.stringify(AGENT) },
    { cards: ['porter.json'], models: { 'openai/gpt-5': model } },
  )
  expect(host.plan().problems).toEqual([])
  const report = await host.run(undefined, 'What is there to eat?')
  expect(report).toMatchObject({ outcome: 'completed', output: { text: 'There is soup.' } })
  const [first, second] = model.calls
  expect(first?.tools.toSorted()).toEqual(['house__echo', 'house__variable', 'house__wipe', 'skill_read'])
  expect(JSON.stringify(first?.prompt)).toContain('Rule: Be polite.')
  expect(JSON.stringify(first?.prompt)).not.toContain('Soup.')
  expect(JSON.stringify(second?.prompt)).toContain('Soup.')
  expect(JSON.stringify(second?.prompt)).toContain('echo: hi')
  expect(host.definition('Porter').exports.tools.map(({ name }) => name)).toEqual(['ask_porter'])
})

it('a tool of a tsagent server that needs permission asks, and one that only a message can include is denied', async () => {
  const model = scriptedModel([
    {
      calls: [
        { tool: 'house__wipe', args: {} },
        { tool: 'house__variable', args: {} },
        { tool: 'house__echo', args: { text: 'hi' } },
      ],
    },
    { text: 'Not done.' },
  ])
  const asked: string[] = []
  const host = await openTeam(
    { 'porter.json': JSON.stringify(AGENT) },
    { cards: ['porter.json'], models: { 'openai/gpt-5': model } },
  )
  const report = await host.run(undefined, 'Wipe it.', {
    approve: ({ toolName }) => {
      asked.push(toolName)
      return { decision: 'denied' }
    },
  })
  expect(report.outcome).toBe('completed')
  expect(asked).toEqual(['house__wipe'])
  const results = JSON.stringify(model.calls[1]?.prompt)
  expect(results).toContain('echo: hi')
  expect(results).toContain('A rule forbids house__variable')
})

it('servers of tsagent get variables from .env of the working folder and of the folder of the agent', async () => {
  const model = scriptedModel([
    {
      calls: [
        { tool: 'house__variable', args: { text: 'FIRST' } },
        { tool: 'house__variable', args: { text: 'SECOND' } },
      ],
    },
    { text: 'Done.' },
  ])
  const agent = {
    ...AGENT,
    settings: { model: 'openai:gpt-5', toolPermission: 'never' },
    mcpServers: { house: { ...server, env: { FIRST: 'env://FIRST', SECOND: 'env://SECOND' } } },
  }
  const host = await openTeam(
    {
      '.env': 'FIRST=outer-1\nSECOND=outer-2\n',
      'agents/.env': 'SECOND=inner-2\n',
      'agents/porter.json': JSON.stringify(agent),
    },
    { cards: ['agents/porter.json'], models: { 'openai/gpt-5': model }, env: { FIRST: 'shell' } },
  )
  expect(host.plan().problems).toEqual([])
  expect(await host.run(undefined, 'Go.')).toMatchObject({ outcome: 'completed' })
  const results = JSON.stringify(model.calls[1]?.prompt)
  expect(results).toContain('FIRST=outer-1')
  expect(results).toContain('SECOND=inner-2')
})
