import { fakeClock, settle } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { eventStream, createSseBuffer } from '../src/sse/event-stream.ts'

function open() {
  const clock = fakeClock()
  const cuts: string[] = []
  const outbox = createSseBuffer({ onOverflow: () => cuts.push('dropped') })
  const response = eventStream(outbox, { clock, caller: { cut: () => void cuts.push('cut') } })
  const reader = response.body?.getReader()
  const read = async (): Promise<string | undefined> => {
    const chunk = await reader?.read()
    return chunk?.value === undefined ? undefined : new TextDecoder().decode(chunk.value)
  }
  return { clock, cuts, outbox, response, read, leave: () => reader?.cancel() }
}

describe('event stream', () => {
  it('an event stream sends buffered events in one chunk, and ends', async () => {
    const { outbox, read } = open()
    outbox.push('data: 1\n\n')
    outbox.push('data: 2\n\n')
    expect(await read()).toBe('data: 1\n\ndata: 2\n\n')
    outbox.push('data: 3\n\n')
    outbox.end()
    expect(await read()).toBe('data: 3\n\n')
    expect(await read()).toBeUndefined()
  })

  it('an event stream sends keep-alive comments while there are no events', async () => {
    const { clock, outbox, read } = open()
    const first = read()
    await settle()
    await clock.advance(15_000)
    expect(await first).toBe(': beat\n\n')
    const second = read()
    await settle()
    outbox.push('data: 1\n\n')
    expect(await second).toBe('data: 1\n\n')
  })

  it('an event stream sends keep-alive comments also if its source is often ready without anything to read', async () => {
    const clock = fakeClock()
    let wake: (() => void) | undefined
    const idle = {
      read: () => undefined,
      isOver: false,
      onReady: (listener: () => void) => void (wake = listener),
      close: () => undefined,
    }
    const reader = eventStream(idle, { clock, caller: { cut: () => undefined } }).body?.getReader()
    const first = reader?.read()
    for (let second = 0; second < 15; second += 1) {
      await clock.advance(1000)
      wake?.()
      await settle()
    }
    expect(new TextDecoder().decode((await first)?.value)).toBe(': beat\n\n')
  })

  it('an event stream closes the connection of a client that does not read, or whose buffer is full', async () => {
    const { clock, cuts, outbox, read } = open()
    outbox.push('data: 1\n\n')
    await read()
    outbox.push('data: 2\n\n')
    await settle()
    await clock.advance(30_000)
    expect(cuts).toEqual(['cut'])
    outbox.push('x'.repeat(1024 * 1024 + 1))
    expect(cuts).toEqual(['cut', 'dropped'])
    expect(outbox).toMatchObject({ isOver: true })
    expect(outbox.read()).toBeUndefined()
  })

  it('an event stream ends for its source when the client disconnects', async () => {
    const { outbox, leave } = open()
    await leave()
    expect(outbox.isOver).toBe(true)
  })
})
