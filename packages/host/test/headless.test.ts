import { defineAgent, defineTool, type AgentFields, type ToolDefinition } from '@troupe/schema'
import { scriptedModel, type ScriptedModel, type ScriptedStep } from '@troupe/testkit'
import { recordEvents, verifies } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHost, type Host } from '../src/index.ts'

interface Deeds {
  readonly ran: string[]
}

function tool(name: string, deeds: Deeds, requiresApproval = false): ToolDefinition {
  return defineTool({
    name,
    description: name,
    requiresApproval,
    execute: () => {
      deeds.ran.push(name)
      return 'done'
    },
  })
}

async function open(fields: AgentFields, models: Readonly<Record<string, ScriptedModel>>): Promise<Host> {
  const agent = defineAgent({ name: 'A', instruction: 'x', model: 'test/a', ...fields })
  const host = await createHost({ cards: [agent], cwd: import.meta.dirname, config: false, models })
  onTestFinished(() => host.close())
  return host
}

/** The tools that the first model call offered. */
function offered(model: ScriptedModel): readonly string[] {
  return (model.calls[0]?.options.tools ?? []).map(({ name }) => name)
}

const say = (text: string): ScriptedStep[] => [{ text }]

describe('a headless run', () => {
  it.each([
    ['tool', ['look']],
    ['always', []],
    ['never', ['look', 'wipe']],
  ] as const)(
    `a headless run with toolPermission %s offers %j ${verifies('D26', 'D28', 'D35', 'R16')}`,
    async (toolPermission, expected) => {
      const deeds = { ran: [] }
      const model = scriptedModel(say('ok'))
      const functionTools = [tool('look', deeds), tool('wipe', deeds, true)]
      const host = await open({ toolPermission, functionTools }, { 'test/a': model })
      await host.run('A', 'go', { headless: true })
      expect(offered(model)).toEqual(expected)
    },
  )

  it(`a headless run executes its tools without approval over several turns ${verifies('D27', 'D30')}`, async () => {
    const deeds = { ran: [] }
    const model = scriptedModel([
      { calls: [{ tool: 'look' }] },
      { calls: [{ tool: 'look' }] },
      { text: 'seen' },
    ])
    const host = await open({ functionTools: [tool('look', deeds)] }, { 'test/a': model })
    const report = await host.run('A', 'go', { headless: true })
    expect(report.output.text).toBe('seen')
    expect(deeds.ran).toEqual(['look', 'look'])
  })

  it('a headless run answers a call of a tool that was not offered with the reason', async () => {
    const deeds = { ran: [] }
    const model = scriptedModel([{ calls: [{ tool: 'wipe' }] }, { text: 'ok' }])
    const functionTools = [tool('look', deeds), tool('wipe', deeds, true)]
    const host = await open({ functionTools }, { 'test/a': model })
    await host.run('A', 'go', { headless: true })
    expect(JSON.stringify(model.calls[1]?.prompt.at(-1))).toContain(
      'wipe requires approval, and this run cannot ask for it.',
    )
    expect(deeds.ran).toEqual([])
  })

  it('a headless run does not say that a denied tool requires approval', async () => {
    const deeds = { ran: [] }
    const model = scriptedModel([{ calls: [{ tool: 'wipe' }] }, { text: 'ok' }])
    const functionTools = [tool('look', deeds), tool('wipe', deeds, true)]
    const host = await open({ functionTools, permissions: { deny: ['wipe'] } }, { 'test/a': model })
    await host.run('A', 'go', { headless: true })
    const answered = JSON.stringify(model.calls[1]?.prompt.at(-1))
    expect(answered).toContain('Unknown tool: wipe')
    expect(answered).not.toContain('requires approval')
    expect(deeds.ran).toEqual([])
  })

  it('a headless run warns if it has no tools left', async () => {
    const model = scriptedModel(say('ok'))
    const functionTools = [tool('wipe', { ran: [] }, true)]
    const host = await open({ functionTools }, { 'test/a': model })
    const { events, listener } = recordEvents()
    await host.run('A', 'go', { headless: true, onEvent: listener })
    expect(events.filter(({ type }) => type === 'warning')).toMatchObject([
      { code: 'headless_no_tools', message: expect.stringContaining('Removed: wipe') },
    ])
  })

  it('a headless run cannot reach a tool that requires approval through any chain of children, even by name', async () => {
    const deeds = { ran: [] }
    const call = (name: string): ScriptedStep[] => [
      { calls: [{ tool: name, args: { text: 'go' } }] },
      { text: 'ok' },
    ]
    const bottom = scriptedModel(call('wipe'))
    const c = defineAgent({
      name: 'C',
      instruction: 'x',
      model: 'test/c',
      functionTools: [tool('look', deeds), tool('wipe', deeds, true)],
    })
    const b = defineAgent({ name: 'B', instruction: 'x', model: 'test/b', agents: [c] })
    const models = {
      'test/a': scriptedModel(call('agent__B')),
      'test/b': scriptedModel(call('agent__C')),
      'test/c': bottom,
    }
    const host = await open({ agents: [b] }, models)
    await host.run('A', 'go', { headless: true })
    expect(offered(bottom)).toEqual(['look'])
    expect(deeds.ran).toEqual([])
  })

  it('a run with an approval function is not headless', async () => {
    const deeds = { ran: [] }
    const model = scriptedModel([{ calls: [{ tool: 'wipe' }] }, { text: 'ok' }])
    const host = await open({ functionTools: [tool('wipe', deeds, true)] }, { 'test/a': model })
    await host.run('A', 'go', { headless: true, approve: () => ({ decision: 'approved' }) })
    expect(deeds.ran).toEqual(['wipe'])
  })

  it('the model of a headless run gets no descriptions of tools that it does not have', async () => {
    const model = scriptedModel(say('ok'))
    const wipe = { ...tool('wipe', { ran: [] }, true), instructions: 'Wipe with care.' }
    const host = await open({ functionTools: [wipe] }, { 'test/a': model })
    await host.run('A', 'go', { headless: true })
    expect(JSON.stringify(model.calls[0]?.prompt)).not.toContain('Wipe with care.')
  })
})
