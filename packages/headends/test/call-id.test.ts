import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { readCallId, toCallId } from '../src/client-calls/call-id.ts'

it('a call id names its call, has at most 64 characters and only those that every protocol accepts', () => {
  fc.assert(
    fc.property(
      fc.uuid(),
      fc.nat(9999),
      fc.nat(999),
      fc.integer({ min: 1, max: 99 }),
      (id, turn, ordinal, attempt) => {
        const runId = `run_${id}`
        const approvalId = `${runId}:${turn}.${ordinal}#${attempt}.client`
        const callId = toCallId({ runId, approvalId })
        expect(callId).toMatch(/^[A-Za-z0-9_-]{1,64}$/u)
        expect(readCallId(callId)).toEqual({ runId, approvalId })
      },
    ),
  )
})

it.each([
  '',
  'call_',
  'call_x',
  'call_x_1-1',
  'toolu_1',
  'call_x_1-1-1\n',
  'call_../x_1-1-1',
  'call_x_1-1-1#',
])('the id %j of another service names no call', (id) => {
  expect(readCallId(id)).toBeUndefined()
})
