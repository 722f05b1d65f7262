import type { RunEvent } from '@troupe/schema'
import { sseBlock } from './sse-block.ts'

/** Written once for all who watch the same run. */
const blocks = new WeakMap<RunEvent, string>()

/** An event of a run as a server-sent event: a durable one has its `seq` as id, so that a client can go on behind it. */
export function runEventBlock(event: RunEvent): string {
  const known = blocks.get(event)
  if (known !== undefined) return known
  const block = sseBlock(event, { id: event.seq })
  blocks.set(event, block)
  return block
}
