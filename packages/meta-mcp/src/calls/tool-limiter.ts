import { failure, type Clock, type Failure } from '@troupe/schema'
import type { ExportedTool } from '../tools/exported-tool.ts'

/** Limits the calls of each tool to those its card allows, concurrently and per minute. */
export interface ToolLimiter {
  /** Admits a call. Returns a function to call when it ends, or the failure if a limit is reached. */
  acquire(tool: ExportedTool): (() => void) | Failure
}

const MINUTE = 60_000

export function createToolLimiter(clock: Pick<Clock, 'now'>): ToolLimiter {
  const running = new Map<string, number>()
  const startTimes = new Map<string, readonly number[]>()
  return {
    acquire({ wireName, limits }) {
      const { maxParallel = Infinity, maxPerMinute = Infinity } = limits
      const count = running.get(wireName) ?? 0
      if (count >= maxParallel)
        return failure('export_limit', `${wireName}: ${count} calls are running, the most that are allowed.`)
      const recent = (startTimes.get(wireName) ?? []).filter((time) => time > clock.now() - MINUTE)
      if (recent.length >= maxPerMinute)
        return failure(
          'export_limit',
          `${wireName}: ${recent.length} calls in the last minute, the most that are allowed.`,
        )
      running.set(wireName, count + 1)
      if (maxPerMinute !== Infinity) startTimes.set(wireName, [...recent, clock.now()])
      return () => void running.set(wireName, (running.get(wireName) ?? 1) - 1)
    },
  }
}
