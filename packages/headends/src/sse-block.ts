/** Formats a server-sent event. A string is sent as it is, other data as JSON on one line. */
export function sseBlock(
  data: unknown,
  { id, event }: { readonly id?: number | undefined; readonly event?: string | undefined } = {},
): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`
}
