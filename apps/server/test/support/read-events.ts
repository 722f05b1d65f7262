/** One server-sent event. */
export interface SentEvent {
  readonly id: string | undefined
  readonly event: string | undefined
  readonly data: unknown
}

/** Yields the events of an answer to its end, without comments. Data that is not JSON stays text. */
export async function* readEvents(response: Response): AsyncGenerator<SentEvent> {
  const reader = response.body?.pipeThrough(new TextDecoderStream())
  let rest = ''
  for await (const chunk of reader ?? []) {
    rest += chunk
    const blocks = rest.split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = parse(block)
      if (event !== undefined) yield event
    }
  }
}

/** Returns all events of an answer. */
export async function allEvents(response: Response): Promise<readonly SentEvent[]> {
  const events: SentEvent[] = []
  for await (const event of readEvents(response)) events.push(event)
  return events
}

function parse(block: string): SentEvent | undefined {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const at = line.indexOf(': ')
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 2))
  }
  const data = fields.get('data')
  return data === undefined
    ? undefined
    : { id: fields.get('id'), event: fields.get('event'), data: toValue(data) }
}

function toValue(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    // such as the `[DONE]` of OpenAI
    return data
  }
}
