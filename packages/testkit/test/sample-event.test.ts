import { EVENT_TYPES } from '@troupe/schema'
import { expect, it } from 'vitest'
import { recordEvents, sampleEvent } from '../src/internal.ts'

it('sampleEvent samples every type of event and applies the given changes', () => {
  const heard = recordEvents()
  for (const type of EVENT_TYPES) heard.listener(sampleEvent(type))
  expect(heard.types()).toEqual(EVENT_TYPES)
  expect(sampleEvent('log', { runId: 'other', text: 'else' })).toMatchObject({ runId: 'other', text: 'else' })
})
