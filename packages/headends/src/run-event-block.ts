import type { RunEvent } from '@troupe/schema'
import { sseBlock } from './sse-block.ts'

/** An event of a run as a server-sent event: a durable one has its `seq` as id, so that a client can go on behind it. */
export function runEventBlock(event: RunEvent): string {
  return sseBlock(event, { id: event.seq })
}
