import { defineAgent, type AgentDefinition, type LanguageModel } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { setTimeout as sleep } from 'node:timers/promises'

/** Interval of the deltas of each child, in ms. */
const DELTA_MS = 100

/** Returns an agent `Live` with children that all write text for some time. */
export function liveTeam({ children, forMs }: { readonly children: number; readonly forMs: number }): {
  readonly cards: readonly AgentDefinition[]
  readonly models: Readonly<Record<string, LanguageModel>>
} {
  const calls = Array.from({ length: children }, (_, index) => ({
    tool: 'agent__Writer',
    args: { text: `Part ${index}` },
  }))
  const live = scriptedModel((prompt) => (prompt.at(-1)?.role === 'tool' ? { text: 'Done.' } : { calls }))
  const writer = scriptedModel(() => ({
    parts: [
      { type: 'stream-start', warnings: [] },
      { type: 'text-start', id: 'text' },
      ...Array.from({ length: forMs / DELTA_MS }, (_, index) => [
        sleep(index * DELTA_MS),
        { type: 'text-delta' as const, id: 'text', delta: `word ${index} ` },
      ]).flat(),
      { type: 'text-end', id: 'text' },
      {
        type: 'finish',
        finishReason: { unified: 'stop', raw: 'stop' },
        usage: {
          inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 80, text: 80, reasoning: 0 },
        },
      },
    ],
  }))
  return {
    cards: [
      defineAgent({
        name: 'Live',
        description: 'Calls its writers.',
        instruction: 'Call them.',
        model: 'bench/live',
        agents: ['Writer'],
        limits: { maxParallel: children },
      }),
      defineAgent({ name: 'Writer', description: 'Writes.', instruction: 'Write.', model: 'bench/writer' }),
    ],
    models: { 'bench/live': live, 'bench/writer': writer },
  }
}
