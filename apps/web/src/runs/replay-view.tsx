import type { RunEvent } from '@troupe/schema'
import { formatDuration } from '@troupe/timeline'
import { Pause, Play, StepBack, StepForward, X } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, type ReactElement, useMemo, useState } from 'react'
import {
  rootOf,
  type RunViewState,
  EMPTY_RUN_VIEW_STATE,
  reduceRunViewState,
} from '../reducers/run-view-state.ts'
import { createReplayClock } from '../timeline/clock.ts'
import { IconButton } from '../ui/button.tsx'
import { Select } from '../ui/field.tsx'
import { RunTree, type TreeChoices } from './run-tree.tsx'

const FRAME_MS = 50
const SPEEDS = [0.25, 0.5, 1, 2, 5, 20] as const

/** Shows an ended run at a moment of its replay. */
export function ReplayView({
  viewState,
  choices,
  onClose,
}: {
  readonly viewState: RunViewState
  readonly choices: TreeChoices
  readonly onClose: () => void
}): ReactElement {
  const replay = useReplay(viewState)
  const root = rootOf(replay.viewState)
  const [clock] = useState(() => createReplayClock(replay.at))
  useLayoutEffect(() => clock.set(replay.at), [clock, replay.at])
  return (
    <>
      <ReplayBar replay={replay} onClose={onClose} />
      {root === undefined ? null : (
        <RunTree viewState={replay.viewState} root={root} choices={choices} clock={clock} until={replay.to} />
      )}
    </>
  )
}

/** Shows the controls for replaying an ended run by time or by event. Nothing is executed. */
function ReplayBar({
  replay,
  onClose,
}: {
  readonly replay: RunReplay
  readonly onClose: () => void
}): ReactElement {
  const { at, count, from, to, isPlaying, speed, length, last } = replay
  usePlaying(replay)
  return (
    <section
      aria-label="Replay"
      className="flex shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-b border-line bg-accent-wash px-4 py-1.5 sm:px-6"
    >
      <div className="flex">
        <IconButton label="Previous event" disabled={count <= 1} onClick={() => replay.step(-1)}>
          <StepBack className="size-4" />
        </IconButton>
        <IconButton label={isPlaying ? 'Pause' : 'Play'} onClick={isPlaying ? replay.pause : replay.play}>
          {isPlaying ? <Pause className="size-4 fill-current" /> : <Play className="size-4 fill-current" />}
        </IconButton>
        <IconButton label="Next event" disabled={count >= length} onClick={() => replay.step(1)}>
          <StepForward className="size-4" />
        </IconButton>
      </div>
      <input
        type="range"
        aria-label="Moment"
        aria-valuetext={formatDuration(at - from)}
        min={from}
        max={to}
        step={1}
        value={at}
        onChange={(event) => replay.goTo(Number(event.target.value))}
        className="min-w-32 grow accent-accent max-sm:order-last max-sm:basis-full"
      />
      <span className="text-right text-small whitespace-nowrap tabular">
        {formatDuration(at - from)} / {formatDuration(to - from)}
      </span>
      <Select
        aria-label="Speed"
        value={speed}
        onChange={(event) => replay.setSpeed(Number(event.target.value))}
      >
        {SPEEDS.map((factor) => (
          <option key={factor} value={factor}>
            {factor}×
          </option>
        ))}
      </Select>
      <IconButton label="End the replay" className="max-sm:ml-auto" onClick={onClose}>
        <X className="size-4" />
      </IconButton>
      <p className="flex w-full min-w-0 flex-wrap gap-x-3 text-tiny max-sm:order-last">
        <span className="tabular">
          Event {count} of {length}
        </span>
        <span className="truncate font-mono">{last}</span>
        <span className="text-muted sm:ml-auto">Shows the stored events. No model or tool is called.</span>
      </p>
    </section>
  )
}

/** Advances the replay by one frame at a time. */
function usePlaying(replay: RunReplay): void {
  const latest = useRef(replay)
  useEffect(() => {
    latest.current = replay
  })
  const { isPlaying } = replay
  useEffect(() => {
    if (!isPlaying) return undefined
    const timer = setInterval(() => latest.current.advance(FRAME_MS * latest.current.speed), FRAME_MS)
    return () => clearInterval(timer)
  }, [isPlaying])
}

/** The replay of a run. Times in ms since 1970. */
interface RunReplay extends ReplayMoment {
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
function useReplay({ events }: RunViewState): RunReplay {
  const [from, to] = useMemo(() => extentOf(events.map(({ time }) => time)), [events])
  const [moment, setMoment] = useState<ReplayMoment>(() => momentAt(events, from))
  const [isPlaying, setPlaying] = useState(true)
  const [speed, setSpeed] = useState(1)
  const { count } = moment
  const viewStateAt = useMemo(() => createReplayReducer(events), [events])
  const viewState = useMemo(() => viewStateAt(count), [viewStateAt, count])
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

/** Returns a function that reduces the first `count` events. Going forward, only the further ones are reduced. */
export function createReplayReducer(events: readonly RunEvent[]): (count: number) => RunViewState {
  let last = { count: 0, viewState: EMPTY_RUN_VIEW_STATE }
  return (count) => {
    const from = count < last.count ? { count: 0, viewState: EMPTY_RUN_VIEW_STATE } : last
    const viewState = reduceRunViewState(from.viewState, events.slice(from.count, count))
    last = { count, viewState }
    return viewState
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
