import { settle } from '@troupe/testkit/internal'
import { expect, it } from 'vitest'
import { createEventLog } from '../src/sse/event-log.ts'
import type { EventProducer } from '../src/sse/event-stream.ts'

/** Reads what is there now. */
function readAll(events: EventProducer | undefined): string {
  let text = ''
  for (let next = events?.read(); next !== undefined; next = events?.read()) text += String(next)
  return text
}

it('each reader of an event log gets all events from its own index on', () => {
  const log = createEventLog()
  const early = log.follow(0)
  for (const block of ['a', 'b', 'c']) log.push(block)
  const late = log.follow(2)
  expect([readAll(early), readAll(late)]).toEqual(['abc', 'c'])
  log.push('d')
  expect([early?.isOver, readAll(early), readAll(late)]).toEqual([false, 'd', 'd'])
  log.end()
  log.push('e')
  expect([early?.isOver, readAll(early), readAll(log.follow(3))]).toEqual([true, '', 'd'])
})

it('a reader of an event log is called once for the events of one turn, and not after it was closed', async () => {
  const log = createEventLog()
  const events = log.follow(0)
  let calls = 0
  events?.onReady(() => (calls += 1))
  for (const block of ['a', 'b', 'c']) log.push(block)
  await settle()
  expect(calls).toBe(1)
  events?.close()
  calls = 0
  log.push('d')
  await settle()
  expect([calls, events?.isOver, events?.read()]).toEqual([0, true, undefined])
})

it('an event log that is too long drops its older half, and readers that are behind end', () => {
  const log = createEventLog({ maxLength: 10 })
  const slow = log.follow(0)
  for (let count = 0; count < 11; count += 1) log.push('x')
  expect(log.size).toBe(5)
  expect([slow?.isOver, slow?.read()]).toEqual([true, undefined])
  expect(log.follow(5)).toBeUndefined()
  expect(readAll(log.follow(6))).toBe('xxxxx')
})

it('a reader of an event log waits at an index that is not there yet', () => {
  const log = createEventLog()
  const events = log.follow(2)
  log.push('a')
  expect([events?.read(), events?.isOver]).toEqual([undefined, false])
  for (const block of ['b', 'c']) log.push(block)
  expect(readAll(events)).toBe('c')
})
