import { expect, it } from 'vitest'
import { createHeldRuns } from '../src/human-input/held-runs.ts'

it('a run that starts to wait for an answer during shutdown is cancelled, like one that waited before', () => {
  const held = createHeldRuns<{ cancel(): void }>()
  const cancelled: string[] = []
  held.put('before', { cancel: () => void cancelled.push('before') })
  held.drain()
  held.put('after', { cancel: () => void cancelled.push('after') })
  expect(cancelled).toEqual(['before', 'after'])
  expect(held.take('after')).toBeUndefined()
})
