/** Formats a server-sent event. `name` is for APIs that name their events. */
export function formatServerSentEvent(data: unknown, name?: string): string {
  const head = name === undefined ? '' : `event: ${name}\n`
  return `${head}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}

/** Content type of a server-sent event stream. */
export const EVENT_STREAM = 'text/event-stream; charset=utf-8'
