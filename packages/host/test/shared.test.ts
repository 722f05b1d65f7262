import { scriptedModel } from '@troupe/testkit'
import { recordEvents, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { card, openTeam } from './support/open-team.ts'

const model = 'script/s.yaml'
const call = (tool: string, args: object): object => ({ call: [{ tool, args }] })
const lines = {
  a: [
    call('shared.set', { key: 'toString', value: { n: 1 } }),
    call('agent__b', { text: 'go' }),
    call('shared_get', { key: 'from b' }),
    { say: '{{results.0.text}}' },
  ],
  b: [
    call('shared_get', { key: 'toString' }),
    call('shared_set', { key: 'from b', value: '{{results.0.json.value.n}}' }),
    { say: 'done' },
  ],
  c: [call('shared_get', {}), { say: '{{results.0.text}}' }],
}
const team = {
  'a.md': card({ name: 'a', model, agents: ['b'], runtimeTools: ['shared'], default: true }),
  'b.md': card({ name: 'b', model, runtimeTools: ['shared'] }),
  'c.md': card({ name: 'c', model, runtimeTools: ['shared'] }),
  's.yaml': JSON.stringify({ agents: lines }),
}

describe('the shared store', () => {
  it(`the shared store belongs to all agents of a run tree, is used through tools, and ends with the run tree ${verifies('R19', 'C90')}`, async () => {
    const host = await openTeam(team)
    expect(host.plan().problems).toEqual([])
    const record = recordEvents()
    const report = await host.run('a', 'x', { onEvent: record.listener })
    expect(report.output.text).toBe('{"found":true,"value":"1"}')
    expect(
      record.events.flatMap((event) =>
        event.type === 'tool-call' && event.source !== 'agent'
          ? [[event.agent, event.toolName, event.source, event.server]]
          : [],
      ),
    ).toEqual([
      ['a', 'shared.set', 'runtime', 'runtime'],
      ['b', 'shared.get', 'runtime', 'runtime'],
      ['b', 'shared.set', 'runtime', 'runtime'],
      ['a', 'shared.get', 'runtime', 'runtime'],
    ])
    expect((await host.run('c', 'x')).output.text).toBe('{"keys":[]}')
  })

  it(`the shared store is off unless a card enables it ${verifies('C90')}`, async () => {
    const host = await openTeam({
      'a.md': card({ name: 'A', model: 'passthrough' }),
    })
    const lease = await host.tools('A')
    expect(lease.tools).toEqual([])
    await lease.release()
  })

  it('the shared store rejects values that are too large', async () => {
    const host = await openTeam({
      'a.md': card({ name: 'A', model: 'passthrough', runtimeTools: ['shared'] }),
    })
    const big = await host.callTool('A', 'shared.set', { key: 'k', value: 'x'.repeat(300_000) })
    expect(big.failure?.code).toBe('tool_bad_arguments')
    expect((await host.callTool('A', 'shared.set', { value: 1 })).failure?.code).toBe('tool_bad_arguments')
  })
})

describe('the planner hint', () => {
  const files = {
    'a.md': card(
      { name: 'A', model: 'passthrough', agents: ['B', 'C'], limits: { maxParallel: 2 }, default: true },
      'Lead.',
    ),
    'b.md': card({ name: 'B', model: 'passthrough' }),
    'c.md': card({ name: 'C', model: 'passthrough' }),
  }

  it(`the planner hint is one line about the limits, for agents with children ${verifies('R19', 'C89')}`, async () => {
    const systems = await systemsOf(files)
    expect(systems).toEqual({
      A: 'Lead.\n\nCall at most 2 agents at once, and only agents that the task needs.',
      B: 'Help.',
    })
  })

  it(`the planner hint can be switched off in the configuration ${verifies('C89')}`, async () => {
    const systems = await systemsOf({ ...files, 'troupe.json': '{"defaults":{"plannerHint":false}}' })
    expect(systems).toEqual({ A: 'Lead.', B: 'Help.' })
  })
})

/** The first message that the models of A and B receive. */
async function systemsOf(files: Readonly<Record<string, string>>): Promise<Record<string, unknown>> {
  const asked: Record<string, unknown> = {}
  for (const agent of ['A', 'B']) {
    const spy = scriptedModel([{ text: 'ok' }])
    const host = await openTeam(files, { models: { passthrough: spy } })
    await host.run(agent, 'x')
    asked[agent] = spy.calls[0]?.prompt[0]?.content
  }
  return asked
}
