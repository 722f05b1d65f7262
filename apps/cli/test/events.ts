import { NO_USAGE, type EventDraft, type RunEvent } from '@troupe/schema'
import { sampleEvent } from '@troupe/testkit/internal'
import { emptyTimeline, reduceTimeline, type Timeline } from '@troupe/timeline'

/** Numbers events of one root, as a listener receives them. */
export function numbered(drafts: readonly EventDraft[]): readonly RunEvent[] {
  return drafts.map((draft, index) => ({ ...draft, rootRunId: 'root', seq: index + 1 }))
}

export function fold(drafts: readonly EventDraft[]): Timeline {
  return numbered(drafts).reduce(reduceTimeline, emptyTimeline())
}

export const ROOT = { runId: 'root', agent: 'Time', instance: 'Time' } as const

/** Returns the envelope fields of the i-th child's events. */
export function child(
  index: number,
  agent = 'City',
): {
  readonly runId: string
  readonly parentRunId: string
  readonly agent: string
  readonly instance: string
  readonly depth: number
} {
  return { runId: `child-${index}`, parentRunId: 'root', agent, instance: `${agent}[${index}]`, depth: 1 }
}

/** Returns the events of a root that has called so many children, each of which has started. */
export function startChildren(
  count: number,
  options: { readonly maxInstances?: number } = {},
): readonly EventDraft[] {
  const indices = Array.from({ length: count }, (_, index) => index + 1)
  return [
    sampleEvent('run-start', { ...ROOT, maxInstances: options.maxInstances ?? 20 }),
    ...indices.map((index) => callChild(index)),
    ...indices.map((index) =>
      sampleEvent('run-start', { ...child(index), callId: `1.${index}`, time: 2000 }),
    ),
  ]
}

/** Returns the event of the root's i-th call, whose child waits for its slot. */
export function callChild(index: number): EventDraft {
  return sampleEvent('tool-call', {
    ...ROOT,
    callId: `1.${index}`,
    toolName: 'agent__City',
    source: 'agent',
    ordinal: index - 1,
    childInstance: `City[${index}]`,
  })
}

/** Returns the usage of one model call of the run. */
export function usageOf(
  run: { readonly runId: string; readonly agent: string; readonly instance: string },
  tokens: {
    readonly input: number
    readonly output: number
    readonly micros?: number
    readonly unpriced?: number
  },
): EventDraft {
  return sampleEvent('usage', { ...run, tokens: { ...NO_USAGE, modelCalls: 1, ...tokens } })
}
