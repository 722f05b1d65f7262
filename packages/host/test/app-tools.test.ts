import { defineTool, type AgentDefinition, type ToolDefinition } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import type { Host, HostOptions } from '../src/index.ts'
import { card, openTeam } from './support/open-team.ts'

const clock = defineTool({
  name: 'office.clock',
  description: 'Tells the time.',
  effect: 'read',
  execute: () => 'noon',
})

async function namesOf(host: Host, agent: string): Promise<readonly string[]> {
  const lease = await host.tools(agent)
  await lease.release()
  return lease.tools.map((tool: ToolDefinition) => tool.name)
}

describe('built-in tools of an app', () => {
  it('a built-in tool of the app is offered to the agents that the app names, as a runtime tool', async () => {
    const host = await openTeam(
      {
        'a.md': card({ name: 'a', model: 'passthrough' }),
        'b.md': card({ name: 'b', model: 'passthrough', runtimeTools: ['shared'] }),
        'c.md': card({ name: 'c', model: 'passthrough' }),
      },
      { tools: { a: [clock], b: [clock] } },
    )
    expect(await namesOf(host, 'a')).toEqual(['office.clock'])
    expect(await namesOf(host, 'b')).toEqual(['shared.get', 'shared.set', 'office.clock'])
    expect(await namesOf(host, 'c')).toEqual([])
    const lease = await host.tools('a')
    await lease.release()
    expect(lease.tools[0]).toMatchObject({ source: 'runtime', server: 'runtime', wireName: 'office_clock' })
    const result = await host.callTool('a', 'office.clock', {})
    expect(result.content).toEqual([{ type: 'text', text: 'noon' }])
  })

  it('a built-in tool of the app obeys the filter and the permission rules of a card', async () => {
    const host = await openTeam(
      {
        'a.md': card({ name: 'a', model: 'passthrough', tools: ['other.*'] }),
        'b.md': card({ name: 'b', model: 'passthrough', permissions: { deny: ['office.*'] } }),
      },
      { tools: { a: [clock], b: [clock] } },
    )
    expect(await namesOf(host, 'a')).toEqual([])
    expect(await host.callTool('b', 'office.clock', {})).toMatchObject({ outcome: 'denied' })
  })

  it('a built-in tool of the app is not offered to the agent of a remote card, and the plan warns about agents that cannot get it', async () => {
    const url = 'https://cards.example/remote.md'
    const text = card({ name: 'remote', model: 'passthrough' })
    const safeFetch: NonNullable<NonNullable<HostOptions['remote']>['safeFetch']> = async () => ({
      url,
      contentType: 'text/markdown',
      body: Buffer.from(text),
    })
    const host = await openTeam(
      { 'a.md': card({ name: 'a', model: 'passthrough', agents: [url], default: true }) },
      { tools: { a: [clock], remote: [clock], gone: [clock] }, remote: { safeFetch } },
    )
    expect(host.plan().problems).toMatchObject([
      { severity: 'warning', code: 'remote_card_forbidden', agent: 'remote' },
      { severity: 'warning', code: 'agent_unknown' },
    ])
    expect(host.agents().map(({ name }: AgentDefinition) => name)).toEqual(['a', 'remote'])
    expect(await namesOf(host, 'a')).toContain('office.clock')
    expect(await namesOf(host, 'remote')).toEqual([])
  })
})
