import { formatDuration } from '@troupe/timeline'
import { Pause, Play, X } from 'lucide-react'
import { useEffect, type ReactElement } from 'react'
import { IconButton } from '../ui/icon-button.tsx'
import { Select } from '../ui/select.tsx'
import type { Replay } from './use-replay.ts'

const FRAME_MS = 50
const SPEEDS = [0.25, 0.5, 1, 2, 5, 20] as const

/** Plays a run that is over again: how it stood at any moment. */
export function ReplayBar({
  replay,
  onClose,
}: {
  readonly replay: Replay
  readonly onClose: () => void
}): ReactElement {
  const { at, from, to, isPlaying, speed, change } = replay
  useEffect(() => {
    if (!isPlaying) return undefined
    const timer = setInterval(() => {
      change((now) => {
        const next = Math.min(to, now.at + FRAME_MS * now.speed)
        return { ...now, at: next, isPlaying: next < to }
      })
    }, FRAME_MS)
    return () => clearInterval(timer)
  }, [isPlaying, to, change])
  const toggle = (): void =>
    change((now) => ({
      ...now,
      isPlaying: !now.isPlaying,
      at: !now.isPlaying && now.at >= to ? from : now.at,
    }))
  return (
    <section
      aria-label="Replay"
      className="flex flex-wrap items-center gap-2 border-b border-line bg-accent-wash px-4 py-1.5 sm:px-6"
    >
      <IconButton label={isPlaying ? 'Pause' : 'Play'} onClick={toggle}>
        {isPlaying ? <Pause className="size-4 fill-current" /> : <Play className="size-4 fill-current" />}
      </IconButton>
      <input
        type="range"
        aria-label="Moment"
        aria-valuetext={formatDuration(at - from)}
        min={from}
        max={to}
        step={1}
        value={at}
        onChange={(event) => change((now) => ({ ...now, at: Number(event.target.value), isPlaying: false }))}
        className="min-w-32 grow accent-accent"
      />
      <span className="w-28 text-right text-small tabular">
        {formatDuration(at - from)} / {formatDuration(to - from)}
      </span>
      <Select
        aria-label="Speed"
        value={speed}
        onChange={(event) => change((now) => ({ ...now, speed: Number(event.target.value) }))}
      >
        {SPEEDS.map((one) => (
          <option key={one} value={one}>
            {one}×
          </option>
        ))}
      </Select>
      <IconButton label="End the replay" onClick={onClose}>
        <X className="size-4" />
      </IconButton>
    </section>
  )
}
