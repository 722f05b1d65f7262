import type { RunEvent } from '@troupe/schema'
import { useMemo, useState } from 'react'
import { EMPTY_RUN_VIEW_STATE, reduceRunViewState, type RunViewState } from '../reducers/run-view-state.ts'

/** The replay of a run. Times in ms since 1970. */
export interface RunReplay extends ReplayMoment {
  readonly from: number
  readonly to: number
  readonly isPlaying: boolean
  /** Factor relative to the original speed. */
  readonly speed: number
  /** The state of the run at this moment. */
  readonly viewState: RunViewState
  /** Total number of events. */
  readonly length: number
  /** The last event in a few words. */
  readonly last: string
  /** Plays from the current moment, or from the start if it is at the end. */
  play(): void
  pause(): void
  /** Advances by `ms` milliseconds of the run. Pauses at the end. */
  advance(ms: number): void
  /** Goes to a time and pauses. */
  goTo(at: number): void
  /** Goes forward or back by a number of events and pauses. */
  step(by: number): void
  setSpeed(speed: number): void
}

/** A position in a replay. */
interface ReplayMoment {
  /** In ms since 1970. */
  readonly at: number
  /** Number of events up to this moment. It may include only some of several events with the same time. */
  readonly count: number
}

/**
 * Replays the persistent events of a run. They are reduced in their original order, so that each moment shows
 * only what was known then.
 */
export function useReplay({ events }: RunViewState): RunReplay {
  const [from, to] = useMemo(() => extentOf(events.map(({ time }) => time)), [events])
  const [moment, setMoment] = useState<ReplayMoment>(() => momentAt(events, from))
  const [isPlaying, setPlaying] = useState(true)
  const [speed, setSpeed] = useState(1)
  const { count } = moment
  const viewState = useMemo(
    () => reduceRunViewState(EMPTY_RUN_VIEW_STATE, events.slice(0, count)),
    [events, count],
  )
  const pauseAt = (next: ReplayMoment): void => {
    setPlaying(false)
    setMoment(next)
  }
  return {
    ...moment,
    from,
    to,
    isPlaying,
    speed,
    viewState,
    length: events.length,
    last: lastEventText(events, moment),
    play: () => {
      if (moment.at >= to) setMoment(momentAt(events, from))
      setPlaying(true)
    },
    pause: () => setPlaying(false),
    advance: (ms) => {
      const at = Math.min(to, moment.at + ms)
      setMoment(momentAt(events, at))
      if (at >= to) setPlaying(false)
    },
    goTo: (at) => pauseAt(momentAt(events, at)),
    step: (by) => pauseAt(stepFrom(events, moment, by)),
    setSpeed,
  }
}

function extentOf(times: readonly number[]): readonly [from: number, to: number] {
  return [Math.min(...times), Math.max(...times)]
}

/** Returns the moment at a time, with all events up to then. */
export function momentAt(events: readonly RunEvent[], at: number): ReplayMoment {
  return { at, count: events.filter(({ time }) => time <= at).length }
}

/** Returns the moment `by` events later, or earlier if negative. Never before the first event. */
export function stepFrom(events: readonly RunEvent[], { count }: ReplayMoment, by: number): ReplayMoment {
  const next = Math.min(events.length, Math.max(1, count + by))
  return { count: next, at: events[next - 1]?.time ?? 0 }
}

/** Describes the last event in a few words, such as `Reporter[1]: tool-call look_up`. */
export function lastEventText(events: readonly RunEvent[], { count }: ReplayMoment): string {
  const event = events[count - 1]
  if (event === undefined) return ''
  const tool = 'toolName' in event ? ` ${event.toolName}` : ''
  return `${event.instance}: ${event.type}${tool}`
}
