import { NO_USAGE, type EventDraft, type RunEvent } from '@troupe/schema'
import { sampleEvent } from '@troupe/testkit'
import { emptyTimeline, reduceTimeline, type Timeline } from '@troupe/timeline'

/** Events as a listener gets them: numbered, of one root. */
export function numbered(drafts: readonly EventDraft[]): readonly RunEvent[] {
  return drafts.map((draft, index) => ({ ...draft, rootRunId: 'root', seq: index + 1 }))
}

export function fold(drafts: readonly EventDraft[]): Timeline {
  return numbered(drafts).reduce(reduceTimeline, emptyTimeline())
}

export const ROOT = { runId: 'root', agent: 'Time', instance: 'Time' } as const

/** What stands on the events of the i-th child. */
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

/** The root has called so many children; each has started. */
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

/** The root calls the i-th child, which waits for its slot. */
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

/** One model call of the run. */
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
