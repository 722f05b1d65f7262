import { settle } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEventStreamScanner } from '../src/http/guarded-fetch.ts'
import { createLineReader } from '../src/stdio/line-reader.ts'
import { MessageMeter } from '../src/messages/message-meter.ts'
import { orderedDelivery, createOutputTail } from '../src/stdio/stdio-transport.ts'
import { oversizeResponseId } from '../src/messages/loss-response.ts'

/** Cuts bytes at the given places, which count from each cut. */
function cut(bytes: Buffer, lengths: readonly number[]): readonly Buffer[] {
  const chunks: Buffer[] = []
  let rest = bytes
  for (const length of lengths) {
    chunks.push(rest.subarray(0, length))
    rest = rest.subarray(length)
  }
  return [...chunks, rest]
}

function readLines(chunks: readonly Buffer[], maxBytes: number): readonly string[] {
  const lines: string[] = []
  const reader = createLineReader(
    {
      line: (text) => lines.push(text),
      oversize: (head, tail) => lines.push(`<${head.length}/${tail.length}>`),
    },
    { maxBytes },
  )
  for (const chunk of chunks) reader.push(chunk)
  reader.end()
  return lines
}

const lengths = fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 20 })

describe('the line reader', () => {
  it('the line reader returns the same lines however the bytes are split', () => {
    const lines = fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' ')))
    fc.assert(
      fc.property(lines, lengths, (texts, cuts) => {
        const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''))
        expect(readLines(cut(bytes, cuts), 10_000)).toEqual(texts)
      }),
    )
  })

  it('the line reader drops a line that is too long and continues after it', () => {
    const bytes = Buffer.from(`first\n${'x'.repeat(100_000)}\nlast`)
    for (const size of [1, 7, 4096, 200_000]) {
      const cuts = Array<number>(Math.floor(bytes.length / size)).fill(size)
      expect(readLines(cut(bytes, cuts), 5000)).toEqual(['first', '<4096/4096>', 'last'])
    }
  })

  it('the line reader accepts a line of exactly the limit', () => {
    expect(readLines([Buffer.from(`${'x'.repeat(10)}\n${'x'.repeat(11)}\n`)], 10)).toEqual([
      'xxxxxxxxxx',
      '<11/11>',
    ])
  })
})

describe('the size of a message', () => {
  const excessOf = (json: string, cuts: readonly number[] = []): string | undefined => {
    const size = new MessageMeter(16 * 1024 * 1024)
    for (const chunk of cut(Buffer.from(json), cuts)) size.add(chunk)
    return size.excess
  }

  it('the size check counts values and keys, so that a message of many small values is refused before it is parsed', () => {
    expect(excessOf(`[${'[],'.repeat(300_000)}0]`)).toBe('has more than 500000 values')
    expect(excessOf(`{${'"a":1,'.repeat(100_001)}`)).toBe('has more than 100000 keys')
    expect(excessOf(`[${'1,'.repeat(400_000)}1]`)).toBeUndefined()
    expect(excessOf(`{"a":"${'x'.repeat(16 * 1024 * 1024)}"}`)).toBe('is larger than 16 MiB')
  })

  it('the size check ignores syntax inside strings, however the bytes are split', () => {
    const text = JSON.stringify('[,:{\\"'.repeat(200_000))
    fc.assert(
      fc.property(lengths, (cuts) => {
        expect(excessOf(`{"a":${text}}`, cuts)).toBeUndefined()
      }),
      { numRuns: 20 },
    )
  })

  it('the size check applies to one line or one event', () => {
    const line = `[${'1,'.repeat(300_000)}1]`
    expect(readLines([Buffer.from(`${line}\n${line}\n`)], 16 * 1024 * 1024)).toEqual([line, line])
    const scanner = createEventStreamScanner(16 * 1024 * 1024)
    const event = Buffer.from(`data: ${line}\n\n`)
    scanner.push(event)
    scanner.push(event)
    expect(scanner.excess).toBeUndefined()
    scanner.push(event.subarray(0, -1))
    scanner.push(event)
    expect(scanner.excess).toBeDefined()
  })
})

describe('the id of a response that is too large', () => {
  const big = 'y'.repeat(10_000)
  const ids = fc.oneof(fc.nat(), fc.string({ maxLength: 20 }))

  it('the id of a response is found wherever servers write it', () => {
    fc.assert(
      fc.property(ids, (id) => {
        const result = { content: [{ type: 'text', text: big }] }
        for (const message of [
          { jsonrpc: '2.0', id, result },
          { id, jsonrpc: '2.0', result },
          { result, jsonrpc: '2.0', id },
          { jsonrpc: '2.0', result, id },
          { jsonrpc: '2.0', id, error: { code: 1, message: big } },
        ]) {
          const text = JSON.stringify(message)
          expect(oversizeResponseId(text.slice(0, 4096), text.slice(-4096))).toBe(id)
        }
      }),
    )
  })

  it.each([
    ['a request of the server', { jsonrpc: '2.0', id: 1, method: 'sampling/createMessage', params: { big } }],
    ['a request with its id at the end', { method: 'roots/list', params: { big }, jsonrpc: '2.0', id: 1 }],
    ['an id inside the result', { jsonrpc: '2.0', result: { big, id: 1 } }],
    ['an id inside a text', { jsonrpc: '2.0', result: { big, text: ',"id":1}' } }],
    ['a notification', { jsonrpc: '2.0', method: 'notifications/message', params: { big } }],
  ])('the id of a response is not taken from %s', (_what, message) => {
    const text = JSON.stringify(message)
    expect(oversizeResponseId(text.slice(0, 4096), text.slice(-4096))).toBeUndefined()
  })

  it('the search for the id of a response takes bounded time for any text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 4096 }), (text) => {
        expect(['undefined', 'number', 'string']).toContain(typeof oversizeResponseId(text, text))
      }),
    )
    expect(oversizeResponseId(`{${' '.repeat(4000)}`, `,${' '.repeat(4000)}`)).toBeUndefined()
  })
})

describe('the order of messages', () => {
  it('the order of messages is kept, and what a notification triggers comes before the next one', async () => {
    const seen: string[] = []
    const deliver = orderedDelivery((message) => {
      const name = 'id' in message ? `answer ${message.id}` : 'notification'
      if ('id' in message) seen.push(name)
      else queueMicrotask(() => seen.push(name))
    })
    const notification = { jsonrpc: '2.0', method: 'notifications/progress' } as const
    const answer = (id: number) => ({ jsonrpc: '2.0', id, result: {} }) as const
    for (const message of [answer(1), notification, notification, answer(2), notification, answer(3)])
      deliver(message)
    await settle()
    expect(seen).toEqual(['answer 1', 'notification', 'notification', 'answer 2', 'notification', 'answer 3'])
  })
})

describe('the tail of the error output', () => {
  it('the tail of the error output keeps the end of any amount', () => {
    const tail = createOutputTail()
    for (let line = 0; line < 50_000; line += 1) tail.push(Buffer.from(`${line} of many\n`))
    expect(tail.text(20)).toBe('49999 of many')
    expect(tail.text(1_000_000).length).toBeLessThanOrEqual(64 * 1024)
  })
})

describe('the scanner of event streams', () => {
  function scan(text: string, cuts: readonly number[]): { eventBytes: number; resumable: boolean } {
    const scanner = createEventStreamScanner()
    for (const chunk of cut(Buffer.from(text), cuts)) scanner.push(chunk)
    return { eventBytes: scanner.eventBytes, resumable: scanner.resumable }
  }

  it('the scanner of event streams counts the bytes since the last blank line', () => {
    expect(scan('data: 1\n\n', []).eventBytes).toBe(0)
    expect(scan('data: 1\r\n\r\n', []).eventBytes).toBe(0)
    expect(scan('data: 1\n\ndata: 22\n', []).eventBytes).toBe(9)
  })

  it('the scanner of event streams finds numbered events however the bytes are split', () => {
    fc.assert(
      fc.property(lengths, fc.constantFrom('id: 7\n', 'id\n', 'id:\r\n'), (cuts, line) => {
        expect(scan(`event: message\n${line}data: 1\n\n`, cuts).resumable).toBe(true)
        expect(scan(`event: message\ndata: ${line}ideal: 1\n\n`, cuts).resumable).toBe(false)
      }),
    )
  })
})
