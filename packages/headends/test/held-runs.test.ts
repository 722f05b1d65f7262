import { expect, it } from 'vitest'
import { createHeldRuns } from '../src/human-input/held-runs.ts'

it('the oldest of more than 32 runs of one principal that wait for their client is cancelled, and no other', () => {
  const held = createHeldRuns<{ cancel(): void }>()
  const cancelled: string[] = []
  const put = (key: string, clientOf?: string): void =>
    held.put(key, { cancel: () => void cancelled.push(key) }, clientOf === undefined ? {} : { clientOf })
  put('question')
  put('other', 'ben')
  for (let index = 0; index < 33; index += 1) put(`run ${index}`, 'ada')
  expect(cancelled).toEqual(['run 0'])
  expect(held.take('run 0')).toBeUndefined()
  put('run 1', 'ada')
  put('run 33', 'ada')
  expect(cancelled).toEqual(['run 0', 'run 1', 'run 2'])
})

it('a run that starts to wait for an answer during shutdown is cancelled, like one that waited before', () => {
  const held = createHeldRuns<{ cancel(): void }>()
  const cancelled: string[] = []
  held.put('before', { cancel: () => void cancelled.push('before') })
  held.drain()
  held.put('after', { cancel: () => void cancelled.push('after') })
  expect(cancelled).toEqual(['before', 'after'])
  expect(held.take('after')).toBeUndefined()
})
