import type { EventDraft } from '@troupe/schema'
import { EVENT_ENVELOPE_KEYS, eventEnvelope } from '@troupe/schema/ports'
import { expect, it } from 'vitest'

const place = { runId: 'run_2', rootRunId: 'run_1', agent: 'Clerk', instance: 'Clerk[1]', depth: 1 }
const request: EventDraft = {
  ...place,
  time: 1,
  parentRunId: 'run_1',
  callId: '1.2',
  calledAs: 'office.clerk',
  type: 'approval-request',
  approvalId: 'run_2:1.2',
  toolName: 'mail',
  args: {},
}

it('an event envelope is derived from another event of its run, with its own type and time', () => {
  const head = eventEnvelope(request, 'run-waiting', 2)
  expect(head).toEqual({
    ...place,
    time: 2,
    type: 'run-waiting',
    parentRunId: 'run_1',
    callId: '1.2',
    calledAs: 'office.clerk',
  })
  expect(Object.keys(head)).toEqual(EVENT_ENVELOPE_KEYS)
})

it('an event envelope omits fields that are unknown', () => {
  const head = eventEnvelope(
    { ...place, parentRunId: undefined, callId: undefined, calledAs: undefined },
    'warning',
    2,
  )
  expect(Object.keys(head)).toEqual(EVENT_ENVELOPE_KEYS.slice(0, -3))
})
