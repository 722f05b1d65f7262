import type { RootRunFilter, RootRunRecord } from '@troupe/schema/ports'
import { fakeClock } from '@troupe/testkit/internal'
import { expect, it } from 'vitest'
import { createRunService } from '../src/run-service/run-service.ts'

const ROOTS = ['ended', 'open', 'other'].map((rootRunId): RootRunRecord => ({
  rootRunId,
  session: { sessionId: rootRunId, principal: 'ada' },
  open: rootRunId === 'open',
  lastSeq: 1,
  detail: 'full',
}))

it('recovery checks only the runs of other processes, and ends when the server drains', async () => {
  const reads: (RootRunFilter | undefined)[] = []
  const unused = (): never => {
    throw new Error('This is not part of recovery.')
  }
  const clock = fakeClock()
  const desk = createRunService({
    host: {
      accept: unused,
      resume: unused,
      fork: unused,
      prompt: unused,
      isWaiting: () => false,
      decide: unused,
      writeTarget: unused,
      addNote: unused,
      createSession: unused,
    },
    store: {
      roots(filter) {
        reads.push(filter)
        return ROOTS.filter(({ rootRunId }) => filter === undefined || rootRunId === filter.rootRunId)
      },
      list: unused,
      events: () => [],
      steps: () => new Map(),
      setLabel: unused,
      purge: unused,
      sessions: { list: unused, set: unused },
    },
    context: {
      clock,
      newId: unused,
      runner: { agents: () => [], definition: unused, run: unused } as never,
    },
  })

  expect(await desk.recover()).toBe(0)
  await clock.advance(62_000)
  const one = { principal: 'ada', rootRunId: 'open' }
  expect(reads).toEqual([undefined, one, one])
  expect(clock.pending()).toBe(1)
  desk.drain()
  expect(clock.pending()).toBe(0)
})
