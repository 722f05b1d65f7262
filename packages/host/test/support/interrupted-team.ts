import { systemClock } from '@troupe/core'
import {
  defineAgent,
  defineTool,
  type AgentFields,
  type ToolDefinition,
  type ToolEffect,
} from '@troupe/schema'
import type { LogEntry, RunStore } from '@troupe/schema/ports'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel, type ScriptedStep } from '@troupe/testkit'
import { onTestFinished } from 'vitest'
import { createHost, type Host, type HostOptions } from '../../src/index.ts'

/** The actions of a team, over all processes in which it ran. */
export interface Deeds {
  /** Calls that models have answered. */
  answers: number
  /** Names of the tools that ran, in order. */
  readonly ran: string[]
}

/** Nothing done. */
export function noDeeds(): Deeds {
  return { answers: 0, ran: [] }
}

const PLANNER: readonly ScriptedStep[] = [
  {
    text: 'First.',
    calls: [
      { tool: 'agent__Worker', args: { text: 'one' } },
      { tool: 'agent__Worker', args: { text: 'two' } },
      { tool: 'pay' },
      { tool: 'look', args: 'no JSON' },
    ],
  },
  { calls: [{ tool: 'look' }, { tool: 'agent__Worker', args: { text: 'three' } }] },
  { text: 'All done.' },
]
const WORKER: readonly ScriptedStep[] = [{ calls: [{ tool: 'look' }] }, { text: 'Worked.' }]

/** A planner with a worker that it calls three times, a tool that may run once, and one that only reads. Models answer by what stands in the prompt. */
export async function interruptedTeam(
  deeds: Deeds,
  store: RunStore,
  { fields = {}, ...options }: Partial<HostOptions> & { readonly fields?: AgentFields } = {},
): Promise<Host> {
  const tool = (name: string, effect: ToolEffect): ToolDefinition =>
    defineTool({
      name,
      description: name,
      effect,
      execute: () => {
        deeds.ran.push(name)
        return `${name}: yes`
      },
    })
  const look = tool('look', 'read')
  const worker = defineAgent({
    name: 'Worker',
    description: 'Works.',
    instruction: 'Work.',
    model: 'test/worker',
    functionTools: [look],
  })
  const planner = defineAgent({
    name: 'Planner',
    instruction: 'Plan.',
    model: 'test/planner',
    functionTools: [look, tool('pay', 'once')],
    agents: [worker],
    ...fields,
  })
  const host = await createHost({
    cards: [planner, worker],
    config: false,
    cwd: import.meta.dirname,
    store,
    models: { 'test/planner': answering(PLANNER, deeds), 'test/worker': answering(WORKER, deeds) },
    ...options,
  })
  onTestFinished(() => host.close())
  return host
}

function answering(steps: readonly ScriptedStep[], deeds: Deeds): ReturnType<typeof scriptedModel> {
  return scriptedModel((prompt) => {
    deeds.answers += 1
    return steps[prompt.filter(({ role }) => role === 'assistant').length] ?? { text: 'lost' }
  })
}

/** A store that remembers what was written to it, in order. */
export function recordingStore(): { readonly store: RunStore; readonly entries: readonly LogEntry[] } {
  const store = createMemoryStore({ clock: systemClock })
  const entries: LogEntry[] = []
  return {
    entries,
    store: {
      ...store,
      async open(...args) {
        const log = await store.open(...args)
        const append = log.append.bind(log)
        return Object.assign(log, {
          append(entry: LogEntry) {
            entries.push(entry)
            append(entry)
          },
        })
      },
    },
  }
}

/** A store as a process leaves it that was killed after so many entries. */
export async function storeAfter(rootRunId: string, entries: readonly LogEntry[]): Promise<RunStore> {
  const store = createMemoryStore({ clock: systemClock })
  const log = await store.open(rootRunId, 'a process that is gone')
  for (const entry of entries) log.append(entry)
  await log.close()
  return store
}
