import { useMemo, useState } from 'react'
import { EMPTY_RUN_VIEW_STATE, reduceRunViewState, type RunViewState } from '../reducers/run-view-state.ts'
import { lastEventText, momentAt, stepFrom, type ReplayMoment } from './replay-moment.ts'

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
