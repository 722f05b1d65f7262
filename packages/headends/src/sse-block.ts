/** One server-sent event whose data is JSON of one line. */
export function sseBlock(
  data: unknown,
  { id, event }: { readonly id?: number | undefined; readonly event?: string | undefined } = {},
): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`
}

/** Blocks that differ in one text only: what is around it is written once. `toBlock` puts the text into its data as it is, and once. */
export function blockAround(toBlock: (text: string) => string): (text: string) => string {
  const [before = '', after = ''] = toBlock(MARK).split(JSON.stringify(MARK))
  return (text) => before + JSON.stringify(text) + after
}

/** No text of anybody's. */
const MARK = '\u0000\u0000\u0000'
