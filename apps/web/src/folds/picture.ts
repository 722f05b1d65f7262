import type { RunView as RunDetails } from '@troupe/headends'
import type { RunEvent } from '@troupe/schema'
import { emptyTimeline, reduceTimeline, type RunView, type Timeline } from '@troupe/timeline'
import { reduceSpans, type Spans } from './spans.ts'
import { reduceStories, type Stories } from './story.ts'

/** All that the page draws of one root: a fold over its events. */
export interface Picture {
  readonly timeline: Timeline
  readonly spans: Spans
  readonly stories: Stories
  /** Those that are kept, as they came. */
  readonly events: readonly RunEvent[]
  /** Time of the last event in ms since 1970, if the run was interrupted: no process works on it. */
  readonly interruptedAt?: number
}

/** A picture without any event. */
export const EMPTY_PICTURE: Picture = Object.freeze({
  timeline: emptyTimeline(),
  spans: new Map(),
  stories: new Map(),
  events: [],
})

/** The picture after more events. Kept events that are in it already are ignored, so that a stream may begin again anywhere. */
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
 * Marks a picture as interrupted if the server says so of its run. No event says it. Once the page has an event that is newer than what the server
 * said, the run was resumed.
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

/** The run at the top. */
export function rootOf({ timeline }: Picture): RunView | undefined {
  return timeline.runs.find((run) => run.runId === timeline.rootRunId)
}
