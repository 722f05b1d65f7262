import { NO_PROBLEMS, type Json, type RunEvent, type RunReport } from '@troupe/schema'
import { fakeClock } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { parseCheck } from '../src/cases/eval-check.ts'
import type { CheckedRun } from '../src/checks/check-input.ts'
import { runChecks } from '../src/checks/run-checks.ts'
import type { EvalCheckResult } from '../src/index.ts'

const ANSWER = '{"hours": [{"open": "09:00", "days": ["Mon", "Tue"]}], "count": 2}'
const CALLS: readonly (readonly [name: string, args: Readonly<Record<string, string>>])[] = [
  ['crm__find', { text: 'opening hours' }],
  ['agent__clerk', { text: 'hours' }],
  ['crm__find', { text: 'prices' }],
]

describe('a check', () => {
  it.each<[Json, boolean]>([
    [{ contains: '09:00' }, true],
    [{ contains: '10:00' }, false],
    [{ 'not-contains': '10:00' }, true],
    [{ equals: ANSWER }, true],
    [{ equals: 'nine' }, false],
    [{ equals: { count: 2, hours: [{ days: ['Mon', 'Tue'], open: '09:00' }] } }, true],
    [{ regex: '\\d{2}:\\d{2}' }, true],
    [{ regex: '^nine' }, false],
    [{ 'not-regex': '^nine' }, true],
    [{ 'json-schema': { type: 'object', required: ['hours'] } }, true],
    [{ 'json-schema': { type: 'object', required: ['prices'] } }, false],
    [{ 'not-json-schema': { type: 'array' } }, true],
    [{ type: 'json-path', path: '$.hours[0].open', equals: '09:00' }, true],
    [{ type: 'json-path', path: '$.hours[0].open', equals: '10:00' }, false],
    [{ type: 'json-path', path: '$..days[?@ == "Tue"]' }, true],
    [{ type: 'json-path', path: '$..days[?match(@, "T.*")]', equals: 'Tue' }, true],
    [{ type: 'json-path', path: '$..days[?match(@, "u")]' }, false],
    [{ type: 'json-path', path: '$.count', equals: 2 }, true],
    [{ type: 'json-path', path: '$.hours[0].open', regex: '^09' }, true],
    [{ type: 'json-path', path: '$.missing' }, false],
    [{ 'tool-called': 'crm__find' }, true],
    [{ 'tool-called': ['crm__find', 'mail__send'] }, false],
    [{ 'not-tool-called': ['crm__find', 'mail__send'] }, false],
    [{ 'not-tool-called': 'mail__send' }, true],
    [{ type: 'tool-calls', order: ['crm__find', 'agent__clerk'] }, true],
    [{ type: 'tool-calls', order: ['agent__clerk', 'crm__find', 'agent__clerk'] }, false],
    [{ type: 'tool-calls', order: ['crm__find', 'agent__clerk'], count: { max: 2 } }, false],
    [{ type: 'tool-calls', tool: 'crm__find', count: 2 }, true],
    [{ type: 'tool-calls', tool: 'crm__find', args: { text: { regex: '^prices$' } }, count: 1 }, true],
    [{ type: 'tool-calls', args: { text: { contains: 'hours' } }, count: 2 }, true],
    [{ type: 'tool-calls', tool: 'crm__find', args: { text: 'dogs' } }, false],
    [{ type: 'tool-calls', tool: 'mail__send', count: { max: 0 } }, true],
    [{ type: 'agents', used: ['guide', 'clerk'] }, true],
    [{ type: 'agents', used: ['cook'] }, false],
    [{ type: 'cost', max: 0.01 }, true],
    [{ type: 'cost', max: 0.0001 }, false],
    [{ type: 'tokens', min: 15, max: 15 }, true],
    [{ type: 'latency', max: '3s' }, true],
    [{ type: 'latency', max: 10 }, false],
    [{ type: 'turns', max: 1 }, true],
    [{ type: 'turns', min: 2 }, false],
    ['no-problems', true],
  ])('%j passes: %j', async (item, expected) => {
    const [result] = await check([item])
    expect(result).toMatchObject({ passed: expected, gate: true })
    expect(result?.message === undefined).toBe(expected)
  })

  it('the name of a check is one line', async () => {
    const results = await check([
      { 'not-contains': 'a\nb' },
      { type: 'tool-calls', tool: 'a', count: { max: 2 } },
      'no-problems',
      { contains: 'x'.repeat(500) },
    ])
    expect(results.map(({ name }) => name)).toEqual([
      'not-contains "a\\nb"',
      'tool-calls tool "a" count {"max":2}',
      'no-problems',
      `contains "${'x'.repeat(110)}…`,
    ])
  })

  it('a run that did not complete fails, whatever the checks say', async () => {
    const results = await check([{ contains: '09:00' }], { outcome: 'partial' })
    expect(results).toMatchObject([
      { name: 'the run completes', passed: false, message: 'the outcome is partial' },
      { passed: true },
    ])
  })

  it('a cost that is not known fails a check and its negation', async () => {
    const results = await check(
      [
        { type: 'cost', max: 1 },
        { type: 'not-cost', max: 1 },
      ],
      {},
      { cost: null },
    )
    expect(results.map(({ passed }) => passed)).toEqual([false, false])
  })

  it('the time of recorded answers is not checked', async () => {
    const results = await check([{ type: 'latency', max: 1 }], {}, {}, true)
    expect(results).toMatchObject([
      { passed: true, gate: false, message: 'not measured, because model answers were recorded' },
    ])
  })

  it('a hostile pattern and a long answer take no noticeable time', async () => {
    const text = 'a'.repeat(200_000)
    const results = await check([{ regex: '(a+)+b' }], { output: { format: 'text', text } })
    expect(results).toMatchObject([{ passed: false }])
  })
})

function check(
  items: readonly Json[],
  report: Partial<RunReport> = {},
  usage: Partial<RunReport['usage']> = {},
  isRecorded = false,
): Promise<readonly EvalCheckResult[]> {
  const checks = items.map((item) => {
    const parsed = parseCheck(item)
    if ('fields' in parsed) return parsed
    throw new Error(parsed.map(({ message }) => message).join('\n'))
  })
  const evalCase = { id: 'a', input: 'x', earlier: [], files: [], stubs: new Map(), checks, repeat: 1 }
  const run: CheckedRun = {
    case: evalCase,
    folder: '/',
    report: { ...REPORT, ...report, usage: { ...REPORT.usage, ...usage } },
    events: events(),
    isRecorded,
  }
  return runChecks(run, {
    clock: fakeClock(),
    functions: new Map(),
    judge: () => Promise.reject(new Error('no judge')),
  })
}

const REPORT: RunReport = {
  runId: 'run_1',
  agent: 'guide',
  outcome: 'completed',
  output: { format: 'text', text: ANSWER },
  usage: {
    inputTokens: 10,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 5,
    reasoningTokens: 0,
    cost: 0.005,
    unpriced: [],
    estimated: false,
    modelCalls: 1,
    toolCalls: 3,
    byAgent: {},
  },
  ...NO_PROBLEMS,
  sessionId: 'run_1',
  durationMs: 1000,
  activeMs: 900,
}

function events(): readonly RunEvent[] {
  const base = { time: 0, runId: 'run_1', rootRunId: 'run_1', instance: 'guide', depth: 0 }
  const start = { input: 'x', model: [], sessionId: 's', maxInstances: 1 }
  const definition = { name: 'guide', digest: 'd', version: '0.0.0' }
  return [
    { ...base, agent: 'guide', type: 'run-start', ...start, definition, seq: 1 },
    { ...base, agent: 'guide', type: 'turn-start', turn: 1, seq: 2 },
    ...CALLS.map(([toolName, args], index) => ({
      ...base,
      agent: 'guide',
      type: 'tool-call' as const,
      toolName,
      source: 'mcp' as const,
      args,
      turn: 1,
      ordinal: index,
      toolUseId: `use-${index}`,
      seq: index + 3,
    })),
    { ...base, agent: 'clerk', depth: 1, type: 'run-start', ...start, definition, seq: 6 },
    { ...base, agent: 'clerk', depth: 1, type: 'turn-start', turn: 1, seq: 7 },
  ]
}
