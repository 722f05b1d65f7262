import { systemClock } from '@troupe/core'
import {
  defineAgent,
  defineTool,
  toolResult,
  type AgentFields,
  type ClientTools,
  type RunEvent,
  type RunReport,
} from '@troupe/schema'
import type { RunDispatcher } from '@troupe/schema/ports'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel, type ScriptedStep } from '@troupe/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHost, type Host } from '../src/index.ts'

const CLIENT: ClientTools = {
  tools: [{ name: 'read', description: 'Reads.', inputSchema: { type: 'object' } }],
}
const READ: ScriptedStep = { calls: [{ tool: 'read', args: { path: 'a' } }] }
const RESULT = {
  decision: 'approved',
  values: { content: [{ type: 'text', text: 'the text' }] },
} as const

/** An agent whose model gives these answers and then says what it got last. */
async function reader(
  steps: readonly ScriptedStep[],
  {
    isStored = true,
    fields = {},
  }: { readonly isStored?: boolean; readonly fields?: Omit<AgentFields, 'name' | 'instruction'> } = {},
) {
  const model = scriptedModel(
    (prompt, { index }) => steps[index] ?? { text: JSON.stringify(prompt.at(-1)?.content) },
  )
  const agent = defineAgent({ name: 'Reader', instruction: 'Read.', model: 'test/reader', ...fields })
  const store = createMemoryStore({ clock: systemClock })
  const host = await createHost({
    cards: [agent],
    config: false,
    cwd: import.meta.dirname,
    models: { 'test/reader': model },
    ...(isStored ? { store } : {}),
  })
  onTestFinished(() => host.close())
  return { host, store, model, agent }
}

async function callsOf(
  host: Host,
  report: RunReport,
  events: readonly RunEvent[],
): Promise<readonly string[]> {
  expect(report).toMatchObject({ outcome: 'cancelled', error: { code: 'run_waiting' } })
  expect(await host.approvals(report.runId)).toEqual([])
  return events.flatMap((event) =>
    event.type === 'approval-request' && event.client === true ? event.approvalId : [],
  )
}

describe('tools of the caller', () => {
  it('a stored run ends at the call, and continues after a decision with the result', async () => {
    const { host, store } = await reader([READ])
    const events: RunEvent[] = []
    const report = await host.run('Reader', 'Go', {
      clientTools: CLIENT,
      headless: true,
      onEvent: (event) => void events.push(event),
    })
    const [approvalId = ''] = await callsOf(host, report, events)
    await host.decide(report.runId, approvalId, RESULT)
    const end = await host.resume(report.runId)
    expect(end.outcome).toBe('completed')
    expect(end.output.text).toContain('the text')
    const types = (await store.events(report.runId)).map(({ type }) => type)
    expect(types.filter((type) => type === 'tool-result')).toHaveLength(1)
    expect(types.filter((type) => type === 'run-end')).toHaveLength(1)
  })

  it('an expired call of the client fails, and the run continues without its result', async () => {
    const { host } = await reader([READ])
    const events: RunEvent[] = []
    const report = await host.run('Reader', 'Go', {
      clientTools: CLIENT,
      onEvent: (event) => void events.push(event),
    })
    const [approvalId = ''] = await callsOf(host, report, events)
    await host.decide(report.runId, approvalId, { decision: 'denied', reason: 'too late' })
    const end = await host.resume(report.runId)
    expect(end.output.text).toContain('Error: too late')
  })

  it('a run that cannot wait fails the call instead of waiting forever', async () => {
    const { host } = await reader([READ], { isStored: false })
    const report = await host.run('Reader', 'Go', { clientTools: CLIENT })
    expect(report.outcome).toBe('completed')
    expect(report.output.text).toContain('cannot wait for its client')
  })

  it('a hook sees the call under its canonical name and can answer in place of the client', async () => {
    const seen: string[] = []
    const { host } = await reader([READ], {
      fields: {
        toolHooks: [
          (ctx) => {
            seen.push(`${ctx.toolSource} ${ctx.toolName}`)
            return toolResult.text('from the hook')
          },
        ],
      },
    })
    const report = await host.run('Reader', 'Go', { clientTools: CLIENT })
    expect(report.output.text).toContain('from the hook')
    expect(seen).toEqual(['client client__read'])
  })

  it('arguments that are not an object never reach the client', async () => {
    const { host } = await reader([{ calls: [{ tool: 'read', args: '"text"' }] }])
    const report = await host.run('Reader', 'Go', { clientTools: CLIENT })
    expect(report.output.text).toContain('not a JSON object')
  })

  it('a tool that needs an approval is not offered to a client that cannot be asked', async () => {
    const { host, model } = await reader([{ text: 'Done.' }], { fields: { toolPermission: 'always' } })
    await host.run('Reader', 'Go', { clientTools: CLIENT, headless: true })
    expect(model.calls[0]?.tools).toEqual([])
  })

  it('a required call fails the run if the agent may not make it', async () => {
    const { host, model } = await reader([], { fields: { permissions: { deny: ['client__*'] } } })
    const report = await host.run('Reader', 'Go', {
      clientTools: { ...CLIENT, choice: { tool: 'read' } },
      headless: true,
    })
    expect(report.error).toMatchObject({ code: 'request_invalid' })
    expect(model.calls).toEqual([])
  })

  it('a tool named `read_result` gets a prefix, because the agent may get that tool later', async () => {
    const { host, model } = await reader([{ text: 'Done.' }])
    const tools = [{ name: 'read_result', description: '', inputSchema: { type: 'object' } }]
    await host.run('Reader', 'Go', { clientTools: { tools } })
    expect(model.calls[0]?.tools).toEqual(['client__read_result'])
  })

  it('a fork of a run has no client tools', async () => {
    const { host, model } = await reader([READ])
    const report = await host.run('Reader', 'Go', { clientTools: CLIENT })
    const fork = await host.fork(report.runId, { at: '1' })
    expect(fork.report.outcome).toBe('completed')
    expect(model.calls.map(({ tools }) => tools)).toEqual([['read'], []])
  })

  it('a card without the key has the digest that it always had', async () => {
    const { agent } = await reader([])
    const denied = defineAgent({
      name: 'Reader',
      instruction: 'Read.',
      model: 'test/reader',
      clientTools: 'deny',
    })
    expect('clientTools' in agent).toBe(false)
    expect(denied.digest).not.toBe(agent.digest)
  })
})

describe('tools that run in the process of the caller', () => {
  const note = defineTool({
    name: 'note',
    description: 'Takes a note.',
    requiresApproval: true,
    execute: () => 'noted',
  })
  const NOTE: ScriptedStep = { calls: [{ tool: 'note', args: {} }] }

  it('the root run calls them under the names of the client, after the approval that they require', async () => {
    const { host } = await reader([NOTE])
    const events: RunEvent[] = []
    const report = await host.run('Reader', 'Go', {
      tools: [note],
      approve: ({ toolName }) => ({ decision: toolName === 'client__note' ? 'approved' : 'denied' }),
      onEvent: (event) => void events.push(event),
    })
    expect(report.output.text).toContain('noted')
    expect(events.find(({ type }) => type === 'tool-result')).toMatchObject({
      toolName: 'client__note',
      server: 'client',
      source: 'function',
    })
  })

  it('a rule for a tool of the agent does not allow a tool of the caller with the same name', async () => {
    const { host } = await reader([NOTE], { fields: { permissions: { allow: ['note'] } } })
    const report = await host.run('Reader', 'Go', { tools: [note], approve: () => ({ decision: 'denied' }) })
    expect(report.output.text).toContain('client__note was not approved')
  })

  it('a card with `clientTools: deny` refuses them, and children never get them', async () => {
    const denied = await reader([], { fields: { clientTools: 'deny' } })
    await denied.host.run('Reader', 'Go', { tools: [note] })
    expect(denied.model.calls[0]?.tools).toEqual([])

    const define = (name: string, fields: Omit<AgentFields, 'name' | 'instruction'>) =>
      defineAgent({ name, instruction: 'Work.', model: `test/${name}`, ...fields })
    const child = scriptedModel([{ text: 'Done.' }])
    const parent = scriptedModel([
      { calls: [{ tool: 'agent__Child', args: { text: 'Go' } }] },
      { text: 'Done.' },
    ])
    const host = await createHost({
      cards: [define('Parent', { agents: ['Child'] }), define('Child', { description: 'Helps.' })],
      config: false,
      cwd: import.meta.dirname,
      models: { 'test/Parent': parent, 'test/Child': child },
    })
    onTestFinished(() => host.close())
    await host.run('Parent', 'Go', { tools: [note] })
    expect([parent, child].map(({ calls }) => calls[0]?.tools)).toEqual([['agent__Child', 'note'], []])
  })

  it('a host with workers refuses them, because workers cannot call them', async () => {
    const { agent, store } = await reader([])
    const host = await createHost({
      cards: [agent],
      config: false,
      cwd: import.meta.dirname,
      models: { 'test/reader': scriptedModel([{ text: 'Done.' }]) },
      store,
      dispatcher: {
        submit: () => Promise.reject(new Error('submitted')),
        find: async () => undefined,
        close: async () => undefined,
      } as unknown as RunDispatcher,
    })
    onTestFinished(() => host.close())
    await expect(host.run('Reader', 'Go', { tools: [note] })).rejects.toMatchObject({
      failure: { code: 'usage_invalid' },
    })
  })
})
