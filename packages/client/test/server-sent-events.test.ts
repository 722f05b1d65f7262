import { expect, it } from 'vitest'
import { readServerSentEvents, type ServerSentEvent } from '../src/server-sent-events.ts'

/** Reads events from text that arrives in pieces of a length. */
async function read(text: string, length: number): Promise<readonly ServerSentEvent[]> {
  const bytes = new TextEncoder().encode(text)
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += length) controller.enqueue(bytes.slice(at, at + length))
      controller.close()
    },
  })
  const events: ServerSentEvent[] = []
  for await (const event of readServerSentEvents(body, { maxSilenceMs: 60_000, onData: () => undefined }))
    events.push(event)
  return events
}

const TEXT = [
  ': beat',
  '',
  'id: 1',
  'data: {"a":"ü"}',
  '',
  'event: lagged',
  'data:first',
  'data:  second',
  'other',
  '',
  'id: 2',
  '',
  'data',
  '',
  'data: cut off',
].join('\n')

const EVENTS = [
  { event: 'message', data: '{"a":"ü"}', id: '1' },
  { event: 'lagged', data: 'first\n second' },
  { event: 'message', data: '' },
]

it('events are the same however the bytes are split, and with every kind of line break', async () => {
  for (const lineBreak of ['\n', '\r\n', '\r'])
    for (const length of [1, 2, 3, 7, 1000])
      expect(await read(TEXT.replaceAll('\n', lineBreak), length)).toEqual(EVENTS)
})

it('reading fails if nothing arrives in time', async () => {
  const events = readServerSentEvents(new ReadableStream(), { maxSilenceMs: 20, onData: () => undefined })
  await expect(events.next()).rejects.toMatchObject({
    code: 'server_unreachable',
    message: 'The server does not respond: Nothing was received for 20 ms.',
  })
})
