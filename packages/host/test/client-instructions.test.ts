import { defineAgent, defineTool, troupeError } from '@troupe/schema'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel, type ScriptedModel } from '@troupe/testkit'
import { systemClock } from '@troupe/core'
import { expect, it, onTestFinished } from 'vitest'
import { createHost, type HostOptions } from '../src/index.ts'

async function hostOf(options: Partial<HostOptions> & Pick<HostOptions, 'cards' | 'models'>) {
  const store = createMemoryStore({ clock: systemClock })
  const host = await createHost({ config: false, cwd: import.meta.dirname, store, ...options })
  onTestFinished(() => host.close())
  return host
}

/** Returns the system message of each call. */
function systemTexts({ calls }: ScriptedModel): readonly unknown[] {
  return calls.map(({ prompt: [first] }) => (first?.role === 'system' ? first.content : ''))
}

it('instructions of the client follow those of the agent, and its children do not get them', async () => {
  const lead = scriptedModel([
    { calls: [{ tool: 'agent__Clerk', args: { text: 'Count.' } }] },
    { text: 'Three.' },
  ])
  const clerk = scriptedModel([{ text: '3' }])
  const host = await hostOf({
    cards: [
      defineAgent({ name: 'Lead', instruction: 'Lead.', model: 'test/lead', agents: ['Clerk'] }),
      defineAgent({ name: 'Clerk', instruction: 'Count.', model: 'test/clerk' }),
    ],
    models: { 'test/lead': lead, 'test/clerk': clerk },
  })
  const report = await host.run('Lead', 'Go.', { clientInstructions: 'Be brief.' })
  expect(report.output.text).toBe('Three.')
  const system = expect.stringMatching(/^Lead\.[^]*\n\nBe brief\.$/u) as unknown
  expect(systemTexts(lead)).toEqual([system, system])
  expect(systemTexts(clerk)).toEqual(['Count.'])
})

it('the model that summarises the conversation does not get the instructions of the client', async () => {
  const writer = scriptedModel(() => ({ text: 'It read much.' }))
  const reader = scriptedModel((prompt, { index }) => {
    if (JSON.stringify(prompt).length > 3000)
      return { error: troupeError('context_overflow', 'The request is too long.') }
    return index < 12 ? { calls: [{ tool: 'read' }] } : { text: 'Read.' }
  })
  const read = defineTool({
    name: 'read',
    description: 'Reads.',
    effect: 'read',
    execute: () => 'lorem '.repeat(60),
  })
  const host = await hostOf({
    cards: [
      defineAgent({
        name: 'Reader',
        instruction: 'Read.',
        model: 'test/reader',
        functionTools: [read],
        limits: { maxTurns: 50 },
        context: { strategy: 'summarise', model: 'test/writer', keepTurns: 2 },
      }),
    ],
    models: { 'test/reader': reader, 'test/writer': writer },
  })
  const report = await host.run('Reader', 'Go.', { clientInstructions: 'Be brief.' })
  expect(report.outcome).toBe('completed')
  expect(systemTexts(reader).every((text) => String(text).endsWith('Be brief.'))).toBe(true)
  expect(writer.calls.length).toBeGreaterThan(0)
  expect(JSON.stringify(writer.calls.map(({ prompt }) => prompt))).not.toContain('Be brief.')
})

it('instructions of the client count towards the budget', async () => {
  const host = await hostOf({
    cards: [defineAgent({ name: 'Reader', instruction: 'Read.', model: 'test/reader' })],
    models: { 'test/reader': scriptedModel(() => ({ text: 'Read.' })) },
  })
  const budget = { maxTokens: 2000 }
  expect(await host.run('Reader', 'Go.', { budget })).toMatchObject({ outcome: 'completed' })
  const clientInstructions = 'Be brief. '.repeat(300)
  expect(await host.run('Reader', 'Go.', { budget, clientInstructions })).toMatchObject({ outcome: 'budget' })
})

it('instructions that come with the result of a call replace the earlier ones and count towards the budget', async () => {
  const model = scriptedModel((prompt) => ({
    ...(prompt.at(-1)?.role === 'tool' ? { text: 'Read.' } : { calls: [{ tool: 'read' }] }),
    usage: { input: 10, output: 1 },
  }))
  const host = await hostOf({
    cards: [defineAgent({ name: 'Reader', instruction: 'Read.', model: 'test/reader' })],
    models: { 'test/reader': model },
  })
  const clientTools = { tools: [{ name: 'read', description: 'Reads.', inputSchema: { type: 'object' } }] }
  const resume = async (instructions: string) => {
    let approvalId = ''
    const { runId } = await host.run('Reader', 'Go.', {
      clientTools,
      clientInstructions: 'Be brief.',
      onEvent: (event) => {
        if (event.type === 'approval-request') ({ approvalId } = event)
      },
    })
    const values = { content: [{ type: 'text', text: 'x' }], turn: { instructions } }
    await host.decide(runId, approvalId, { decision: 'approved', values })
    return host.resume(runId, { budget: { maxTokens: 2000 } })
  }
  expect(await resume('Be kind.')).toMatchObject({ outcome: 'completed' })
  expect(systemTexts(model).map((text) => String(text).split('\n').at(-1))).toEqual(['Be brief.', 'Be kind.'])
  expect(await resume('Be kind. '.repeat(400))).toMatchObject({ outcome: 'budget' })
})
