import { defineAgent } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import { scriptedModel, type ScriptedStep } from '@troupe/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { createHost, type Host } from '../src/index.ts'
import { recordingStore, storeAfter } from './support/interrupted-team.ts'

const LEAD: readonly ScriptedStep[] = [
  { calls: [{ tool: 'agent__helper', args: { text: 'look' } }] },
  { calls: [{ tool: 'router__handoff-to', args: { agent: 'expert' } }] },
]

/** A lead that hears an advisor, calls a helper, hands over to an expert, and whose answer an editor rewrites. */
async function openLead(store: RunStore): Promise<Host> {
  const agent = (name: string, fields = {}) =>
    defineAgent({ name, description: name, instruction: name, model: `test/${name}`, ...fields })
  const echo = (name: string) =>
    scriptedModel((prompt) => ({ text: `${name}(${JSON.stringify(prompt.at(-1)?.content).length})` }))
  const members = ['advisor', 'helper', 'expert', 'editor']
  const host = await createHost({
    cards: [
      agent('lead', { fanOut: ['advisor'], agents: ['helper'], handoffs: ['expert'], fanIn: 'editor' }),
      ...members.map((name) => agent(name)),
    ],
    config: false,
    cwd: import.meta.dirname,
    store,
    models: {
      'test/lead': scriptedModel(
        (prompt) => LEAD[prompt.filter(({ role }) => role === 'assistant').length] ?? { text: 'too many' },
      ),
      ...Object.fromEntries(members.map((name) => [`test/${name}`, echo(name)])),
    },
  })
  onTestFinished(() => host.close())
  return host
}

it('an interrupted run with advisors and a handoff ends like an undisturbed one after it is resumed', async () => {
  const { store, entries } = recordingStore()
  const whole = await (await openLead(store)).run('lead', 'Go.', { runId: 'root' })
  expect(whole).toMatchObject({ outcome: 'completed' })
  expect(whole.output.text).toMatch(/^editor/u)
  for (let kept = 1; kept < entries.length; kept += 1) {
    const past = await storeAfter('root', entries.slice(0, kept))
    const report = await (await openLead(past)).resume('root')
    expect([kept, report.outcome, report.output.text]).toEqual([kept, 'completed', whole.output.text])
    expect(report.usage).toEqual(whole.usage)
  }
})
