import type { RunEvent } from '@troupe/schema'
import { sseBlock } from './sse-block.ts'

/**
 * Formats a run event as a server-sent event. A persistent event has its `seq` as id, so that a client can
 * resume after it.
 */
export function runEventBlock(event: RunEvent): string {
  return sseBlock(event, { id: event.seq })
}
