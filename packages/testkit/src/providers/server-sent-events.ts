/** One server-sent event as text; `name` where the API names its events. */
export function sentEvent(data: unknown, name?: string): string {
  const head = name === undefined ? '' : `event: ${name}\n`
  return `${head}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}

/** The content type of a stream of server-sent events. */
export const EVENT_STREAM = 'text/event-stream; charset=utf-8'
