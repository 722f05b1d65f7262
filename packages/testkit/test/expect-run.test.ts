import { AssertionError } from 'node:assert'
import { NO_PROBLEMS, NO_USAGE, toUsageReport, type RunEvent, type RunReport } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { collectRun, expectRun, replayRun, type TestedRun } from '../src/index.ts'
import { sampleEvent, tempProject } from '../src/internal.ts'

const usage = toUsageReport(NO_USAGE, [])

function report(changes: Partial<RunReport> = {}): RunReport {
  return {
    runId: 'run_1',
    agent: 'librarian',
    outcome: 'completed',
    output: { format: 'text', text: 'Nine to five.' },
    usage: { ...usage, byAgent: { librarian: usage } },
    sessionId: 'run_1',
    ...NO_PROBLEMS,
    durationMs: 1,
    activeMs: 1,
    ...changes,
  }
}

function call(toolName: string, args: Record<string, string> = {}, agent = 'librarian'): RunEvent {
  return { ...sampleEvent('tool-call'), toolName, args, agent, instance: agent }
}

function run(events: readonly RunEvent[], changes: Partial<RunReport> = {}): TestedRun {
  return { report: report(changes), events }
}

/** Returns the message of the assertion that the function throws. */
function failure(check: () => unknown): string {
  try {
    check()
  } catch (thrown) {
    if (thrown instanceof AssertionError) return thrown.message
    throw thrown
  }
  throw new Error('The expectation was met.')
}

const CALLS = [call('crm__find', { name: 'Ada' }), call('agent__clerk', { text: 'opening hours' })]

describe('expectRun', () => {
  it('expectations that are met can be chained', () => {
    const events = [
      { ...sampleEvent('run-start'), agent: 'librarian' } as RunEvent,
      { ...sampleEvent('turn-start'), depth: 0 } as RunEvent,
      ...CALLS,
      { ...sampleEvent('run-start'), agent: 'clerk' } as RunEvent,
    ]
    const expectAll = (): unknown =>
      expectRun(run(events))
        .toComplete()
        .toAnswer('Nine to five.')
        .toAnswer(/^nine/iu)
        .notToAnswer('Nine.')
        .toContain('five')
        .notToContain('ten')
        .toHaveCalled('crm__find')
        .toHaveCalled('agent__clerk', { text: /hours/u })
        .toHaveCalledTimes('crm__find', 1)
        .toHaveCalledTimes('crm__find', { max: 2 }, { name: 'Ada' })
        .notToHaveCalled('mail__send')
        .notToHaveCalled('crm__find', { name: 'Grace' })
        .toHaveCalledInOrder(['crm__find', 'agent__clerk'])
        .toHaveUsedAgent('clerk')
        .toHaveAtMostTurns(1)
        .toCostAtMost(0)
        .toHaveNoProblems()
        .toSatisfy(() => undefined)
    expect(expectAll).not.toThrow()
  })

  it('a failed expectation says what happened instead', () => {
    const error = { class: 'config', code: 'model_unset', message: 'No model.', remediation: '' } as const
    const problem = {
      runId: 'run_1',
      agent: 'librarian',
      instance: 'librarian',
      code: 'tool_failed',
      message: 'no',
    }
    const failed = run(CALLS, { outcome: 'failed', error, problems: [problem], problemCount: 3 })
    expect(failure(() => expectRun(failed).toComplete()).split('\n')).toEqual([
      'The run did not complete. Its outcome is failed.',
      '  agent: librarian',
      '  outcome: failed (model_unset: No model.)',
      '  answer: "Nine to five."',
      '  calls:',
      '    librarian: crm__find {"name":"Ada"}',
      '    librarian: agent__clerk {"text":"opening hours"}',
      '  problems:',
      '    librarian: tool_failed no',
      '    and 2 more',
    ])
  })

  it.each<[string, (tested: TestedRun) => unknown]>([
    ['The answer is not "Ten."', (tested) => expectRun(tested).toAnswer('Ten.')],
    ['The answer does not match /ten/u.', (tested) => expectRun(tested).toAnswer(/ten/u)],
    ['The answer is "Nine to five."', (tested) => expectRun(tested).notToAnswer('Nine to five.')],
    ['The answer matches /five/u.', (tested) => expectRun(tested).notToAnswer(/five/u)],
    ['The answer does not contain "ten".', (tested) => expectRun(tested).toContain('ten')],
    ['The answer contains "five".', (tested) => expectRun(tested).notToContain('five')],
    ['The run did not call mail__send.', (tested) => expectRun(tested).toHaveCalled('mail__send')],
    [
      'The run did not call crm__find with {"name": /^G/u}.',
      (tested) => expectRun(tested).toHaveCalled('crm__find', { name: /^G/u }),
    ],
    [
      'The run called crm__find once, not twice',
      (tested) => expectRun(tested).toHaveCalledTimes('crm__find', { min: 2, max: 3 }),
    ],
    ['The run called crm__find.', (tested) => expectRun(tested).notToHaveCalled('crm__find')],
    [
      'The run did not call agent__clerk, crm__find in this order: the call of crm__find is missing.',
      (tested) => expectRun(tested).toHaveCalledInOrder(['agent__clerk', 'crm__find']),
    ],
    [
      'The run did not use the agent clerk, but none.',
      (tested) => expectRun(tested).toHaveUsedAgent('clerk'),
    ],
    ['too long', (tested) => expectRun(tested).toSatisfy(() => 'too long')],
  ])('an expectation that is not met fails with the message %s', (message, check) => {
    const first = failure(() => check(run(CALLS))).split('\n', 1)[0] ?? ''
    expect(first.startsWith(message.replace('twice', '2 to 3 times.'))).toBe(true)
  })

  it('a cost is too high, or unknown if a model has no price', () => {
    const paid = { ...usage, cost: 0.5 }
    expect(failure(() => expectRun(report({ usage: { ...paid, byAgent: {} } })).toCostAtMost(0.1))).toMatch(
      /^The run cost \$0\.5, not at most \$0\.1\./u,
    )
    const unknown = { ...usage, cost: null, unpriced: ['test/model'], byAgent: {} }
    expect(failure(() => expectRun(report({ usage: unknown })).toCostAtMost(1))).toMatch(
      /^The cost is unknown, because there is no price of test\/model\./u,
    )
  })

  it('an answer in JSON is compared with a value', () => {
    const json = report({ output: { format: 'json', value: { open: true, days: ['Mon'] } } })
    expectRun(json)
      .toAnswer({ days: ['Mon'], open: true })
      .toContain('"open":true')
    const message = failure(() => expectRun(json).toAnswer({ open: false }))
    expect(message).toMatch(/^The answer is not \{"open":false\}\./u)
  })

  it('tools can be named as the model sees them, or by the toolName of a card', () => {
    const events = [call('files__read.text'), { ...call('agent__clerk'), calledAs: 'ask_clerk' } as RunEvent]
    const expectBoth = (): unknown =>
      expectRun(run(events)).toHaveCalled('files__read_text').toHaveCalled('ask_clerk')
    expect(expectBoth).not.toThrow()
  })

  it('arguments match if the named ones do, and lists match as a whole', () => {
    const events = [
      { ...call('crm__find'), args: { query: { name: 'Ada', age: 36 }, tags: ['a', 'b'] } } as RunEvent,
    ]
    const expectAll = (): unknown =>
      expectRun(run(events))
        .toHaveCalled('crm__find', { query: { name: /a/u } })
        .toHaveCalled('crm__find', { tags: ['a', /b/u] })
        .notToHaveCalled('crm__find', { tags: ['a'] })
        .notToHaveCalled('crm__find', { query: { city: 'London' } })
    expect(expectAll).not.toThrow()
  })

  it('a global pattern gives the same result each time', () => {
    const pattern = /five/gu
    expect(() => expectRun(report()).toAnswer(pattern).toAnswer(pattern)).not.toThrow()
  })

  it('a report alone is enough for its answer, but not for its calls', () => {
    expectRun(report()).toComplete().toHaveUsedAgent('librarian')
    expect(() => expectRun(report()).toHaveCalled('crm__find')).toThrow(/collectRun/u)
  })
})

describe('collectRun and replayRun', () => {
  it('collectRun returns the report and all events of a stream', async () => {
    async function* stream(): AsyncGenerator<RunEvent, RunReport> {
      yield* CALLS
      return report()
    }
    expect(await collectRun(stream())).toEqual({ report: report(), events: CALLS })
  })

  it('replayRun passes the recording and its path to the host and collects the events', async () => {
    const folder = await tempProject({ 'hours.yaml': 'cassette: 1\n' })
    const file = `${folder.path}/hours.yaml`
    const replayed = await replayRun(
      {
        replay: async (recording, options) => {
          expect([recording, options.file]).toEqual(['cassette: 1\n', file])
          for (const event of CALLS) options.onEvent?.(event)
          return report()
        },
      },
      file,
    )
    await folder.remove()
    expect(replayed).toEqual({ report: report(), events: CALLS })
  })
})
