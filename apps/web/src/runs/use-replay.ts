import { useMemo, useState } from 'react'
import { EMPTY_PICTURE, reducePicture, type Picture } from '../folds/picture.ts'
import { lastEventText, momentAt, stepFrom, type ReplayMoment } from './replay-moment.ts'

/** A run that is played again. Times in ms since 1970. */
export interface Replay extends ReplayMoment {
  readonly from: number
  readonly to: number
  readonly isPlaying: boolean
  /** Times the speed that it had. */
  readonly speed: number
  /** The run as it stood at the moment. */
  readonly picture: Picture
  /** How many events there are. */
  readonly length: number
  /** What happened last, in few words. */
  readonly last: string
  /** Plays from where it stands, or from the beginning where it is at its end. */
  play(): void
  pause(): void
  /** Goes on by so many ms of the run; at its end it stops. */
  advance(ms: number): void
  /** Goes to a time, and stops there. */
  goTo(at: number): void
  /** Goes so many events on, or back, and stops there. */
  step(by: number): void
  setSpeed(speed: number): void
}

/** Plays the kept events of a run. They are folded as they were when they came, so that the page shows nothing that was not known then. */
export function useReplay({ events }: Picture): Replay {
  const [from, to] = useMemo(() => extentOf(events.map(({ time }) => time)), [events])
  const [moment, setMoment] = useState<ReplayMoment>(() => momentAt(events, from))
  const [isPlaying, setPlaying] = useState(true)
  const [speed, setSpeed] = useState(1)
  const { count } = moment
  const picture = useMemo(() => reducePicture(EMPTY_PICTURE, events.slice(0, count)), [events, count])
  const stopAt = (next: ReplayMoment): void => {
    setPlaying(false)
    setMoment(next)
  }
  return {
    ...moment,
    from,
    to,
    isPlaying,
    speed,
    picture,
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
    goTo: (at) => stopAt(momentAt(events, at)),
    step: (by) => stopAt(stepFrom(events, moment, by)),
    setSpeed,
  }
}

function extentOf(times: readonly number[]): readonly [from: number, to: number] {
  return [Math.min(...times), Math.max(...times)]
}
