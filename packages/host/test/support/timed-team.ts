import { defineAgent, defineTool, type AgentFields, type Clock } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import { scriptedModel, type ScriptedStep } from '@troupe/testkit'
import { onTestFinished } from 'vitest'
import { createHost, type Host } from '../../src/index.ts'

/** A step of a model that takes so many ms of the clock. */
type TimedStep = ScriptedStep & { readonly ms: number }

const BOSS: readonly TimedStep[] = [
  {
    ms: 100,
    text: 'First.',
    calls: [
      { tool: 'agent__Clerk', args: { text: 'one' } },
      { tool: 'agent__Clerk', args: { text: 'two' } },
      { tool: 'send' },
      { tool: 'fail' },
    ],
  },
  { ms: 50, text: 'Done.' },
]

const CLERK: readonly TimedStep[] = [
  { ms: 200, calls: [{ tool: 'look' }], usage: { input: 100, output: 7 } },
  { ms: 60, text: 'Looked.', usage: { input: 120, output: 3 } },
]

/** How long the team takes if nothing disturbs it, in ms: the calls of the first turn run at once, and a clerk is the slowest of them. */
export const TEAM_MS = 100 + (200 + 40 + 60) + 50

/** A boss with two calls of a clerk, a tool that takes 30 ms and one that fails. All time is that of the clock. */
export async function timedTeam(
  clock: Clock,
  store: RunStore,
  { fields = {} }: { readonly fields?: AgentFields } = {},
): Promise<Host> {
  const spend = (ms: number): Promise<void> => new Promise((resolve) => clock.after(ms, resolve))
  const answering = (steps: readonly TimedStep[]) =>
    scriptedModel((prompt) => {
      const step = steps[prompt.filter(({ role }) => role === 'assistant').length]
      return step === undefined ? { text: 'lost' } : { ...step, wait: spend(step.ms) }
    })
  const tool = (name: string, work: () => Promise<string>) =>
    defineTool({ name, description: name, effect: 'read', execute: work })
  const clerk = defineAgent({
    name: 'Clerk',
    description: 'Looks.',
    instruction: 'Look.',
    model: 'test/clerk',
    functionTools: [tool('look', () => spend(40).then(() => 'seen'))],
  })
  const boss = defineAgent({
    name: 'Boss',
    instruction: 'Lead.',
    model: 'test/boss',
    functionTools: [
      tool('send', () => spend(30).then(() => 'sent')),
      tool('fail', () => spend(10).then(() => Promise.reject(new Error('The line is dead.')))),
    ],
    agents: [clerk],
    ...fields,
  })
  const host = await createHost({
    cards: [boss, clerk],
    config: false,
    cwd: import.meta.dirname,
    clock,
    store,
    models: { 'test/boss': answering(BOSS), 'test/clerk': answering(CLERK) },
  })
  onTestFinished(() => host.close())
  return host
}
