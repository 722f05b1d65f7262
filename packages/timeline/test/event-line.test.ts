import { EVENT_TYPES, type EventType } from '@troupe/schema'
import { sampleEvent, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { eventFields, eventLine, failureText } from '../src/index.ts'
import { twoCities } from './two-cities.ts'

const CHILD = {
  runId: 'run_0123456789abcdef',
  parentRunId: 'run_root',
  agent: 'Weather',
  instance: 'Weather[2]',
  depth: 1,
  callId: '1.2',
}

describe('eventLine', () => {
  it(`eventLine names a child by its tool, its number and its run ${verifies('C56', 'A23')}`, () => {
    expect(
      eventLine(sampleEvent('tool-call', { ...CHILD, toolName: 'maps__find', args: { city: 'Rome' } })),
    ).toBe('child:agent__Weather[2] 01234567 calls maps__find {"city":"Rome"}')
  })

  it(`eventLine names a child by the tool name that its card chose ${verifies('C56')}`, () => {
    const event = sampleEvent('tool-call', {
      ...CHILD,
      calledAs: 'research.weather',
      toolName: 't',
      args: {},
    })
    expect(eventLine(event)).toBe('child:research.weather[2] 01234567 calls t {}')
  })

  it('eventLine describes a run line by line', () => {
    expect(twoCities().flatMap((event) => eventLine(event) ?? [])).toMatchInlineSnapshot(`
      [
        "Time root started: What time is it?",
        "Time root used 100 in, 20 out, <$0.0001 (script, 40 ms)",
        "Time root calls agent__New-York[1] {"text":"now?"}",
        "Time root calls agent__London[2] {"text":"now?"}",
        "child:agent__New-York[1] child-1 started: go",
        "Time root agent__London[2] is queued at position 1",
        "child:agent__New-York[1] child-1 used 50 in, 5 out, <$0.0001 (script, 20 ms)",
        "child:agent__New-York[1] child-1 completed (400 ms, 0 in, 0 out, $0.00)",
        "Time root agent__New-York[1] completed (410 ms): done",
        "child:agent__London[2] child-2 started: go",
        "child:agent__London[2] child-2 used 60 in, 0 out, price unknown (script, 10 ms)",
        "child:agent__London[2] child-2 failed (100 ms, 0 in, 0 out, $0.00): model_overloaded: too busy",
        "Time root agent__London[2] failed (105 ms): model_overloaded: too busy",
        "Time root completed (1.0 s, 0 in, 0 out, $0.00)",
      ]
    `)
  })

  it('eventLine omits events that are too small for a line', () => {
    const silent = EVENT_TYPES.filter((type) => eventLine(sampleEvent(type)) === undefined)
    expect(silent).toEqual<EventType[]>([
      'turn-start',
      'text-start',
      'text-delta',
      'text-end',
      'reasoning-delta',
      'tool-start',
      'turn-end',
    ])
  })

  it('eventLine cannot be used to forge a line or to control a terminal', () => {
    const line = eventLine(
      sampleEvent('tool-result', {
        ...CHILD,
        content: [{ type: 'text', text: 'ok\nBoss 12345678 \u001B[31mcompleted\u001B[0m \u202Egnp.exe' }],
      }),
    )
    expect(line).toBe(
      'child:agent__Weather[2] 01234567 tool completed (5 ms): ok Boss 12345678 completed gnp.exe',
    )
  })

  it('eventLine is at most as long as requested', () => {
    const line = eventLine(sampleEvent('log', { text: 'x'.repeat(10_000) }), { max: 40 })
    expect(line).toHaveLength(40)
    expect(line?.endsWith('…')).toBe(true)
  })
})

describe('eventFields', () => {
  it(`eventFields has the standard fields of a log ${verifies('A91')}`, () => {
    expect(
      eventFields({
        ...sampleEvent('tool-result', { ...CHILD, toolName: 'maps__find', server: 'maps' }),
        seq: 7,
      }),
    ).toEqual({
      time: '1970-01-01T00:00:01.000Z',
      event: 'tool-result',
      seq: 7,
      agent_name: 'Weather',
      instance_name: 'Weather[2]',
      run_id: 'run_0123456789abcdef',
      root_run_id: 'root',
      parent_run_id: 'run_root',
      correlation_id: 'run_0123456789abcdef:1.2',
      tool_name: 'maps__find',
      server_name: 'maps',
      outcome: 'completed',
      duration_ms: 5,
    })
  })

  it('eventFields gives the start of a child the id of the call that opened it', () => {
    expect(eventFields(sampleEvent('run-start', CHILD)).correlation_id).toBe('run_root:1.2')
  })

  it('eventFields names the code of a failure', () => {
    const error = { class: 'tool', code: 'tool_failed', message: 'no', remediation: 'none' } as const
    expect(eventFields(sampleEvent('run-end', { outcome: 'failed', error }))).toMatchObject({
      outcome: 'failed',
      error_code: 'tool_failed',
    })
  })
})

describe('failureText', () => {
  it.each(['The key is wrong', 'The key is wrong.'])(
    'an authentication failure names the fix after %j',
    (message) => {
      const error = {
        class: 'auth',
        code: 'token_required',
        message,
        remediation: 'Check the key.',
      } as const
      expect(failureText(error)).toBe('token_required: The key is wrong. Check the key.')
    },
  )
})
