import type { RunEvent } from '@troupe/schema'
import { sampleEvent } from '@troupe/testkit/internal'
import type {
  EvalCaseReport,
  EvalCheckResult,
  EvalComparison,
  EvalRepeat,
  EvalReport,
  EvalTotals,
} from '../src/index.ts'

/** Returns totals with a rate; the interval is not computed. */
export function totals(passed: number, failed: number, more: Partial<EvalTotals> = {}): EvalTotals {
  const counted = passed + failed
  return {
    passed,
    failed,
    errors: 0,
    rate: counted === 0 ? null : passed / counted,
    interval: counted === 0 ? null : [0.2, 0.9],
    usage: { inputTokens: 100, outputTokens: 20, cost: 0.0125, durationMs: 4200 },
    modelCalls: { asked: 2, recorded: 8 },
    ...more,
  }
}

export function check(name: string, fields: Partial<EvalCheckResult> = {}): EvalCheckResult {
  return { name, passed: true, gate: true, ...fields }
}

export function repeat(index: number, fields: Partial<EvalRepeat> = {}): EvalRepeat {
  return {
    index,
    status: 'passed',
    runId: `run_${index}`,
    outcome: 'completed',
    output: 'Nine to five.',
    checks: [check('contains "Nine"')],
    usage: { inputTokens: 50, outputTokens: 10, cost: 0.002, durationMs: 1100 },
    recorded: false,
    ...fields,
  }
}

export function caseReport(id: string, fields: Partial<EvalCaseReport> = {}): EvalCaseReport {
  return { id, repeats: [repeat(0)], totals: totals(1, 0), ...fields }
}

/** Returns a report of one variant: a case that passed, one that failed, and one that broke. */
export function sampleReport(fields: Partial<EvalReport> = {}): EvalReport {
  const failed = check('contains "refund"', { passed: false, message: 'the answer is "No."' })
  const shown = check('judge rubric "Is polite."', { passed: false, gate: false, score: 0.4 })
  return {
    version: 1,
    createdAt: '2026-10-01T08:00:00.000Z',
    commit: '1a2b3c4',
    agent: 'clerk',
    cardDigest: 'd1ge57',
    variants: [
      {
        cases: [
          caseReport('opening-hours', { description: 'Knows when the shop is open.' }),
          caseReport('refund', {
            repeats: [
              repeat(0, { status: 'failed', checks: [failed, shown] }),
              repeat(1),
              repeat(2, { status: 'failed', checks: [failed] }),
            ],
            totals: totals(1, 2),
          }),
          caseReport('delivery', {
            repeats: [
              repeat(0, {
                status: 'error',
                checks: [],
                error: { code: 'model_overloaded', message: 'The provider is overloaded.' },
              }),
            ],
            totals: totals(0, 0, { errors: 1 }),
          }),
        ],
        totals: totals(2, 2, { errors: 1 }),
      },
    ],
    ...fields,
  }
}

export function comparison(fields: Partial<EvalComparison> = {}): EvalComparison {
  const row = { pValue: 0.4, base: totals(3, 0), current: totals(1, 2) }
  return {
    base: 'main',
    verdict: 'not distinguishable',
    pValue: 0.21,
    repeatsNeeded: 24,
    baseTotals: totals(4, 0),
    cases: [
      { id: 'opening-hours', verdict: 'not distinguishable', ...row },
      { id: 'refund', verdict: 'worse', ...row, pValue: 0.01 },
    ],
    ...fields,
  }
}

const LEAD = { runId: 'run_0', rootRunId: 'run_0', agent: 'Lead', instance: 'Lead', depth: 0 }
const CLERK = {
  runId: 'run_1',
  rootRunId: 'run_0',
  parentRunId: 'run_0',
  agent: 'Clerk',
  instance: 'Clerk[1]',
  depth: 1,
}

/** Returns the events of a lead that calls a clerk, who calls a tool. Times are ms after the start. */
export function clerkRun(): readonly RunEvent[] {
  const drafts = [
    sampleEvent('run-start', { ...LEAD, time: 1000, input: 'When are you open?' }),
    sampleEvent('turn-start', { ...LEAD, time: 1000, turn: 1 }),
    sampleEvent('usage', { ...LEAD, time: 1500, turn: 1, model: 'test/lead' }),
    sampleEvent('tool-call', {
      ...LEAD,
      time: 1500,
      turn: 1,
      callId: '1.1',
      toolName: 'agent__Clerk',
      source: 'agent',
      args: { text: 'hours' },
      childInstance: 'Clerk[1]',
    }),
    sampleEvent('run-start', { ...CLERK, time: 1600, callId: '1.1', input: 'hours' }),
    sampleEvent('turn-start', { ...CLERK, time: 1600, turn: 1 }),
    sampleEvent('tool-call', {
      ...CLERK,
      time: 1700,
      turn: 1,
      callId: '1.1',
      toolName: 'crm__find',
      source: 'mcp',
      args: { q: 'hours' },
    }),
    sampleEvent('tool-result', {
      ...CLERK,
      time: 1900,
      callId: '1.1',
      toolName: 'crm__find',
      source: 'mcp',
      outcome: 'failed',
      content: [{ type: 'text', text: 'Error: no shop' }],
    }),
    sampleEvent('turn-end', { ...CLERK, time: 1900, turn: 1 }),
    sampleEvent('run-end', { ...CLERK, time: 2000, callId: '1.1' }),
    sampleEvent('tool-result', {
      ...LEAD,
      time: 2000,
      callId: '1.1',
      toolName: 'agent__Clerk',
      source: 'agent',
      outcome: 'completed',
      childRunId: 'run_1',
      childInstance: 'Clerk[1]',
    }),
    sampleEvent('turn-end', { ...LEAD, time: 2000, turn: 1 }),
    sampleEvent('run-end', { ...LEAD, time: 2400, output: { format: 'text', text: 'Nine to five.' } }),
  ]
  return drafts.map((event, index) => ({ ...event, seq: index + 1 }))
}
