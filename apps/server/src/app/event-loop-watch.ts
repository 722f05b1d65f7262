import type { Clock } from '@troupe/schema'
import { monitorEventLoopDelay } from 'node:perf_hooks'

const RESOLUTION_MS = 10
const CHECK_MS = 1000
const NANOSECONDS_PER_MS = 1e6

/** A period in which the event loop was blocked, so that no request was read or answered. */
export interface EventLoopStall {
  readonly ms: number
}

/** Times in seconds for which the event loop was blocked in a period. */
interface EventLoopDelays {
  /** Longest stall. */
  readonly max: number
  /** 99th percentile of all turns of the event loop. */
  readonly p99: number
}

/** A running measurement of the event loop. */
export interface EventLoopWatch {
  /** Returns the delays since the last call, or since the start, and starts a new period. */
  takeDelays(): EventLoopDelays
  start(): void
  close(): void
}

/** Delays of the turns of the event loop in ns, with the sampling interval. */
type DelayHistogram = Pick<
  ReturnType<typeof monitorEventLoopDelay>,
  'max' | 'percentile' | 'reset' | 'enable' | 'disable'
>

/**
 * Measures how long the event loop is blocked. Calls `onStall` with the longest stall of at least
 * `thresholdMs`, at most once per `quietMs`.
 */
export function createEventLoopWatch({
  clock,
  onStall,
  thresholdMs = 1000,
  quietMs = 60_000,
  openHistogram = () => monitorEventLoopDelay({ resolution: RESOLUTION_MS }),
}: {
  readonly clock: Clock
  onStall?(stall: EventLoopStall): void
  readonly thresholdMs?: number
  readonly quietMs?: number
  openHistogram?(): DelayHistogram
}): EventLoopWatch {
  const period = openHistogram()
  const recent = openHistogram()
  let longest = 0
  let quietUntil = 0
  const check = (): void => {
    longest = Math.max(longest, toMs(recent.max))
    recent.reset()
    if (longest >= thresholdMs && clock.monotonic() >= quietUntil) {
      quietUntil = clock.monotonic() + quietMs
      onStall?.({ ms: Math.round(longest) })
      longest = 0
    }
    cancel = clock.after(CHECK_MS, check)
  }
  let cancel = (): void => undefined
  return {
    start() {
      period.enable()
      recent.enable()
      cancel = clock.after(CHECK_MS, check)
    },
    takeDelays() {
      const delays = { max: toMs(period.max) / 1000, p99: toMs(period.percentile(99)) / 1000 }
      period.reset()
      return delays
    },
    close() {
      cancel()
      period.disable()
      recent.disable()
    },
  }
}

/** Converts a delay to ms. The histogram includes the sampling interval, which is subtracted. */
function toMs(nanoseconds: number): number {
  return Math.max(0, nanoseconds / NANOSECONDS_PER_MS - RESOLUTION_MS)
}
