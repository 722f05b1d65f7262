/** What stands before the data of an event, where nothing else is said of it, and behind them. */
export const BEFORE_DATA = 'data: '
export const AFTER_DATA = '\n\n'

/** One server-sent event whose data is JSON of one line. */
export function sseBlock(
  data: unknown,
  { id, event }: { readonly id?: number | undefined; readonly event?: string | undefined } = {},
): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}${BEFORE_DATA}${text}${AFTER_DATA}`
}
