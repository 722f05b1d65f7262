import type { Outcome } from '@troupe/schema'
import type { CallView, TimelineRun } from '@troupe/timeline'
import type { RunSpans } from '../reducers/spans.ts'

/** The kind of activity that a segment shows. */
export type SegmentKind = 'run' | 'model' | 'tool' | 'queue' | 'wait'

/** The outcome of a segment that did not complete. A run that a person stopped is not a failure. */
export type SegmentTone = 'failed' | 'cancelled'

/** A segment of a bar. Times in ms since 1970. */
export interface Segment {
  readonly kind: SegmentKind
  readonly from: number
  /** `undefined` while the activity continues. */
  readonly to: number | undefined
  /** `undefined` if it completed. */
  readonly tone?: SegmentTone
}

/** The spans of a run before its first event. */
export const NO_SPANS: RunSpans = { models: [], calls: [], waits: [] }

const runCache = new WeakMap<RunSpans, { readonly run: TimelineRun; readonly segments: readonly Segment[] }>()

/** Returns the segments of a run. They are the same list while nothing in them has changed. */
export function runSegments(
  run: TimelineRun,
  spans: RunSpans,
  interruptedAt: number | undefined,
): readonly Segment[] {
  const to = run.endedAt ?? interruptedAt
  const isCacheable = run.endedAt !== undefined || interruptedAt === undefined
  const cached = isCacheable ? runCache.get(spans) : undefined
  if (cached?.run.endedAt === run.endedAt && cached?.run.startedAt === run.startedAt) return cached.segments
  const { models, waits, thinkingSince } = spans
  const segments: readonly Segment[] = [
    { kind: 'run', from: run.startedAt, to, ...toneOf(run.outcome) },
    ...models.map((model) => ({
      kind: 'model' as const,
      // Calls that a fork took over took no time in the fork.
      from: Math.max(run.startedAt, model.from),
      to: model.to ?? to,
      ...toneOf(
        model.error === undefined ? undefined : model.error.class === 'cancelled' ? 'cancelled' : 'failed',
      ),
    })),
    ...(thinkingSince === undefined ? [] : [{ kind: 'model' as const, from: thinkingSince, to }]),
    ...waits.map((wait) => ({ kind: 'wait' as const, from: wait.from, to: wait.to ?? to })),
  ]
  if (isCacheable && spans !== NO_SPANS) runCache.set(spans, { run, segments })
  return segments
}

/** Returns the start, the end and the segments of a call that opened no run. */
export function callSegments(
  call: CallView,
  run: TimelineRun,
  {
    span,
    waits,
    interruptedAt,
  }: {
    /** `undefined` if the request of the call was not seen. */
    readonly span: RunSpans['calls'][number] | undefined
    readonly waits: RunSpans['waits']
    readonly interruptedAt: number | undefined
  },
): { readonly from: number; readonly to: number | undefined; readonly segments: readonly Segment[] } {
  const from = span?.from ?? run.startedAt
  const to =
    span?.to ?? run.endedAt ?? (interruptedAt === undefined ? undefined : Math.max(interruptedAt, from))
  const startedAt = span?.startedAt
  const latest = startedAt ?? to ?? Infinity
  const isWait = waits.some((wait) => wait.from >= from && wait.from <= latest)
  const queue: Segment = { kind: isWait ? 'wait' : 'queue', from, to: startedAt ?? to }
  const segments =
    startedAt === undefined
      ? [queue]
      : [queue, { kind: 'tool' as const, from: startedAt, to, ...toneOf(call.outcome) }]
  return { from, to, segments }
}

/** Returns the union of segments of the same kind and outcome, for the bar of several rows. */
export function mergeSegments(segments: readonly Segment[]): readonly Segment[] {
  const merged: Segment[] = []
  for (const kind of ['run', 'queue', 'tool', 'model', 'wait'] as const)
    for (const tone of [undefined, 'cancelled', 'failed'] as const) {
      const same = segments
        .filter((segment) => segment.kind === kind && segment.tone === tone)
        .toSorted((a, b) => a.from - b.from)
      let last: Segment | undefined
      for (const segment of same) {
        if (last === undefined || segment.from > (last.to ?? Infinity)) {
          if (last !== undefined) merged.push(last)
          last = segment
        } else if (last.to !== undefined && (segment.to ?? Infinity) > last.to)
          last = { ...last, to: segment.to }
      }
      if (last !== undefined) merged.push(last)
    }
  return merged
}

function toneOf(outcome: Outcome | undefined): { readonly tone?: SegmentTone } {
  switch (outcome) {
    case 'failed':
    case 'timeout':
    case 'denied':
      return { tone: 'failed' }
    case 'cancelled':
      return { tone: 'cancelled' }
    default:
      return {}
  }
}
