import { verifies } from '@troupe/testkit'
import { describe, expect, it } from 'vitest'
import { DIALECTS, type FaultDialect } from './dialects.ts'
import { FAULT_ROWS, type FaultRow } from './fault-rows.ts'
import { KEY, runFault, type FaultRecord } from './run-fault.ts'

const MODES = [
  ['streamed', true],
  ['not streamed', false],
] as const

describe.each(DIALECTS.map((dialect) => [dialect.name, dialect] as const))('%s', (_, dialect) => {
  describe.each(MODES)('%s', (_mode, streams) => {
    const rows = FAULT_ROWS.filter((row) => streams || row.streamsOnly !== true)
    it.each(rows.map((row) => [row.name, row] as const))(
      `%s ends as the table says ${verifies('C30', 'C34', 'C82')}`,
      async (_name, row) => {
        const done = await runFault({
          dialect,
          streams,
          answers: row.answers(dialect),
          ...(row.limits === undefined ? {} : { limits: row.limits }),
          ...(row.silence === undefined ? {} : { silence: row.silence }),
        })
        expectEnd(row, done)
        expectWaits(row, done)
        expectLedger(row, done, streams)
        expectNothingLeaked(row, done, dialect)
      },
    )
  })
})

function expectEnd(row: FaultRow, { report, requests, toolRuns }: FaultRecord): void {
  expect({
    outcome: report.outcome,
    code: report.error?.code,
    class: report.error?.class,
    requests: requests.length,
    toolRuns,
  }).toEqual({
    outcome: row.outcome,
    code: row.code,
    class: row.class,
    requests: row.requests,
    toolRuns: row.toolRuns ?? 0,
  })
}

/** The waits are those of the provider or within the jitter, and nothing is sent before they are over. */
function expectWaits(row: FaultRow, { record, delays, requestsBefore }: FaultRecord): void {
  expect(record.of('model-retry').map(({ code }) => code)).toEqual(row.retries ?? [])
  for (const [index, wait] of (row.waits ?? []).entries()) {
    if ('exactly' in wait) expect(delays[index]).toBe(wait.exactly)
    else expect(delays[index]).toBeLessThanOrEqual(wait.atMost)
  }
  const failures = requestsBefore.map((_, index) => index + 1)
  expect(requestsBefore).toEqual(failures)
}

/** One row for each request; connections are closed; what came of a failed answer is kept there and is no answer. */
function expectLedger(row: FaultRow, { report, requests, record }: FaultRecord, streams: boolean): void {
  const rows = record.of('usage')
  expect(rows).toHaveLength(row.requests)
  expect(report.usage.modelCalls).toBe(row.requests)
  expect(rows.filter(({ estimated }) => estimated)).toHaveLength(row.estimated ?? 0)
  const left = streams ? row.abandoned : (row.abandonedWhole ?? row.abandoned)
  if (left !== undefined) expect(requests.filter(({ isAbandoned }) => isAbandoned)).toHaveLength(left)
  expect(requests.every(({ endedAt }) => endedAt !== undefined)).toBe(true)
  if (row.partialText === true && streams) expect(rows.some(({ partialText }) => partialText)).toBe(true)
  if (row.outcome === 'completed')
    expect(report.output.text ?? '').toBe('one two three four five six seven eight')
  else if (row.outcome !== 'partial') expect(report.output.text ?? '').toBe('')
}

function expectNothingLeaked(
  row: FaultRow,
  { report, seen, requests }: FaultRecord,
  dialect: FaultDialect,
): void {
  expect(seen).not.toContain(KEY)
  if (row.code === 'model_auth') {
    expect(report.error?.message).toContain(dialect.keyVariable)
    expect(report.error?.message).toContain('process')
  }
  expect(JSON.stringify(requests.map(({ body }) => body))).not.toContain('secret.ts')
}
