import { scriptedModel } from '@troupe/testkit'
import { describe, expect, it } from 'vitest'
import { openTeam, stdioServer } from './support/open-team.ts'

const { command, args } = stdioServer()
const TEAM = {
  providers: { gw: { base_url: 'https://gw.example/v1', token_key: 'GW_TOKEN' } },
  models: { big: { provider: 'gw', model: 'big-1' } },
  mcps: { notes: { command, args, lifecycle: { startup_timeout: '10m' } } },
  permissions: { deny: ['shell'] },
  agents: {
    root: { model: 'big', description: 'Leads.', sub_agents: ['helper'] },
    helper: {
      model: 'big',
      description: 'Helps.',
      instruction: 'You help.',
      toolsets: [{ type: 'mcp', ref: 'notes', tools: ['echo'] }, { type: 'shell' }],
    },
  },
}

describe('a team of docker-agent', () => {
  it('a team runs with the servers, providers and rules of its file', async () => {
    const model = scriptedModel((prompt, { tools }) => {
      const tool = tools.find((name) => /helper|echo/u.test(name))
      return tool === undefined || prompt.some(({ role }) => role === 'tool')
        ? { text: 'done' }
        : { calls: [{ tool, args: { text: 'hi' } }] }
    })
    const host = await openTeam(
      { 'team.yaml': JSON.stringify(TEAM) },
      { cards: ['team.yaml'], models: { 'gw/big-1': model } },
    )
    expect(host.plan().problems.filter(({ severity }) => severity === 'error')).toEqual([])
    const calls: string[] = []
    const result = await host.run(undefined, 'go', {
      onEvent: (event) => void (event.type === 'tool-call' && calls.push(event.toolName)),
    })
    expect(result).toMatchObject({ outcome: 'completed', output: { text: 'done' } })
    expect(calls).toEqual(['agent__helper', 'notes__echo'])
    const planned = host.plan().agents.find(({ name }) => name === 'helper')
    expect(planned?.tools.find(({ name }) => name === 'shell.execute')?.permission).not.toBe('allow')
  })
})
