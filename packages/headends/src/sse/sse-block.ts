import type { RunEvent } from '@troupe/schema'

/** Formats a server-sent event. A string is sent as it is, other data as JSON on one line. */
export function sseBlock(
  data: unknown,
  { id, event }: { readonly id?: number | undefined; readonly event?: string | undefined } = {},
): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`
}

/**
 * Formats a run event as a server-sent event. A persistent event has its `seq` as id, so that a client can
 * resume after it.
 */
export function runEventBlock(event: RunEvent): string {
  return sseBlock(event, { id: event.seq })
}
