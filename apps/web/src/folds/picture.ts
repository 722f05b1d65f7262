import type { RunView as RunDetails } from '@troupe/headends'
import type { RunEvent } from '@troupe/schema'
import { emptyTimeline, reduceTimeline, type RunView, type Timeline } from '@troupe/timeline'
import { reduceSpans, type Spans } from './spans.ts'
import { reduceStories, type Stories } from './story.ts'

/** The state of a root run in the page, reduced from its events. */
export interface Picture {
  readonly timeline: Timeline
  readonly spans: Spans
  readonly stories: Stories
  /** The persistent events, in order of arrival. */
  readonly events: readonly RunEvent[]
  /** Time of the last event in ms since 1970 if the run was interrupted, that is, no process executes it. */
  readonly interruptedAt?: number
}

/** The state before the first event. */
export const EMPTY_PICTURE: Picture = Object.freeze({
  timeline: emptyTimeline(),
  spans: new Map(),
  stories: new Map(),
  events: [],
})

/**
 * Returns the state after more events. Persistent events that are already included are ignored, so that a
 * stream may restart anywhere.
 */
export function reducePicture(picture: Picture, events: readonly RunEvent[]): Picture {
  let { timeline, spans, stories } = picture
  const kept: RunEvent[] = []
  for (const event of events) {
    if (event.seq !== undefined && event.seq <= timeline.seq) continue
    timeline = reduceTimeline(timeline, event)
    spans = reduceSpans(spans, event)
    stories = reduceStories(stories, event)
    if (event.seq !== undefined) kept.push(event)
  }
  return {
    timeline,
    spans,
    stories,
    events: kept.length === 0 ? picture.events : [...picture.events, ...kept],
  }
}

/**
 * Marks the state as interrupted if the server says so, as no event does. If the page has a newer event than
 * the server's response, the run was resumed.
 */
export function withInterruption(
  picture: Picture,
  known: Pick<RunDetails, 'state' | 'lastSeq'> | undefined,
): Picture {
  const last = picture.events.at(-1)
  if (known?.state !== 'interrupted' || last === undefined || picture.timeline.seq > known.lastSeq)
    return picture
  return { ...picture, interruptedAt: last.time }
}

/** Returns the root run; `undefined` before its first event. */
export function rootOf({ timeline }: Picture): RunView | undefined {
  return timeline.runs.find((run) => run.runId === timeline.rootRunId)
}
