import { verifies } from '@troupe/testkit'
import { describe, expect, it } from 'vitest'
import { DIALECTS, TEXT, type FaultDialect } from './dialects.ts'
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
        expect(endOf(done)).toEqual(endSaid(row))
        expectWaits(row, done)
        expectLedger(row, done, streams)
        expectNothingLeaked(row, done, dialect)
      },
    )
  })
})

function endOf({ report, requests, toolRuns }: FaultRecord): object {
  const { outcome, error } = report
  return { outcome, code: error?.code, class: error?.class, requests: requests.length, toolRuns }
}

function endSaid({ outcome, code, requests, toolRuns = 0, ...row }: FaultRow): object {
  return { outcome, code, class: row.class, requests, toolRuns }
}

/** The waits are those of the provider or within the jitter, and nothing is sent before they are over. */
function expectWaits(row: FaultRow, { record, delays, requestsBefore }: FaultRecord): void {
  expect(record.of('model-retry').map(({ code }) => code)).toEqual(row.retries ?? [])
  const wrong = (row.waits ?? []).filter((wait, index) => !isAsSaid(wait, delays[index]))
  expect({ wrong, delays }).toEqual({ wrong: [], delays })
  expect(requestsBefore).toEqual(requestsBefore.map((_, index) => index + 1))
}

function isAsSaid(wait: NonNullable<FaultRow['waits']>[number], delayMs: number | undefined): boolean {
  if (delayMs === undefined) return false
  return 'exactly' in wait ? delayMs === wait.exactly : delayMs <= wait.atMost
}

/** One row for each request; connections are closed; what came of a failed answer is kept there and is no answer. */
function expectLedger(row: FaultRow, { report, requests, record }: FaultRecord, streams: boolean): void {
  const rows = record.of('usage')
  const left = requests.filter(({ isAbandoned }) => isAbandoned === true).length
  const kept = rows.some(({ partialText }) => partialText !== undefined)
  expect({
    rows: rows.length,
    modelCalls: report.usage.modelCalls,
    estimated: rows.filter(({ estimated }) => estimated).length,
    open: requests.filter(({ endedAt }) => endedAt === undefined).length,
    left,
    kept: row.partialText === true && streams ? kept : 'any',
    text: row.outcome === 'partial' ? 'any' : (report.output.text ?? ''),
  }).toEqual({
    rows: row.requests,
    modelCalls: row.requests,
    estimated: row.estimated ?? 0,
    open: 0,
    left: row.abandoned ?? left,
    kept: row.partialText === true && streams ? true : 'any',
    text: expectedText(row),
  })
}

function expectedText({ outcome }: FaultRow): string {
  if (outcome === 'partial') return 'any'
  return outcome === 'completed' ? TEXT : ''
}

/** The key is nowhere, a refused one is named with its place, and no model is told where files are. */
function expectNothingLeaked(
  row: FaultRow,
  { report, seen, requests }: FaultRecord,
  dialect: FaultDialect,
): void {
  expect(seen).not.toContain(KEY)
  const named = row.code === 'model_auth' ? `${dialect.keyVariable} of process` : ''
  expect(report.error?.message ?? '').toContain(named)
  expect(JSON.stringify(requests.map(({ body }) => body))).not.toContain('secret.ts')
}
