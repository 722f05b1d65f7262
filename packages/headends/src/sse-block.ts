/** One server-sent event whose data is JSON of one line. */
export function sseBlock(
  data: unknown,
  { id, event }: { readonly id?: number | undefined; readonly event?: string | undefined } = {},
): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`
}
