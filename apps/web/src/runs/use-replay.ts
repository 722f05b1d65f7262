import { useMemo, useState, type Dispatch, type SetStateAction } from 'react'
import { EMPTY_PICTURE, reducePicture, type Picture } from '../folds/picture.ts'

/** Where a replay stands. Times in ms since 1970. */
interface Moment {
  readonly at: number
  readonly isPlaying: boolean
  readonly speed: number
}

/** A run that is played again. */
export interface Replay extends Moment {
  readonly from: number
  readonly to: number
  /** The run as it stood at the moment. */
  readonly picture: Picture
  readonly change: Dispatch<SetStateAction<Moment>>
}

/** Plays the kept events of a run. They are folded as they were when they came, so that the page shows nothing that was not known then. */
export function useReplay(whole: Picture): Replay {
  const [from, to] = useMemo(() => extentOf(whole), [whole])
  const [moment, change] = useState<Moment>({ at: from, isPlaying: true, speed: 1 })
  const count = whole.events.filter(({ time }) => time <= moment.at).length
  const picture = useMemo(() => reducePicture(EMPTY_PICTURE, whole.events.slice(0, count)), [whole, count])
  return { ...moment, from, to, picture, change }
}

function extentOf({ events }: Picture): readonly [from: number, to: number] {
  const times = events.map(({ time }) => time)
  return [Math.min(...times), Math.max(...times)]
}
