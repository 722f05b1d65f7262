import { formatDuration } from '@troupe/timeline'
import { Pause, Play, StepBack, StepForward, X } from 'lucide-react'
import { useEffect, useRef, type ReactElement } from 'react'
import { rootOf, type RunViewState } from '../reducers/run-view-state.ts'
import { IconButton } from '../ui/button.tsx'
import { Select } from '../ui/field.tsx'
import { RunTree } from './run-tree.tsx'
import { useReplay, type RunReplay } from './use-replay.ts'

const FRAME_MS = 50
const SPEEDS = [0.25, 0.5, 1, 2, 5, 20] as const

/** Shows an ended run at a moment of its replay. */
export function ReplayView({
  viewState,
  onClose,
}: {
  readonly viewState: RunViewState
  readonly onClose: () => void
}): ReactElement {
  const replay = useReplay(viewState)
  const root = rootOf(replay.viewState)
  return (
    <>
      <ReplayBar replay={replay} onClose={onClose} />
      {root === undefined ? null : (
        <RunTree viewState={replay.viewState} root={root} now={replay.at} until={replay.to} />
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
        {SPEEDS.map((one) => (
          <option key={one} value={one}>
            {one}×
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
