import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { DIALECTS, OTHER_DIALECTS, TEXT, type FaultDialect } from './dialects.ts'
import { FAULT_ROWS, type FaultRow } from './fault-rows.ts'
import { KEY, runFault, type FaultRecord } from './run-fault.ts'

const MODES = [
  ['streamed', true],
  ['not streamed', false],
  ['not watched', undefined],
] as const

/** The adapters of all providers must handle these cases. */
const COMMON: ReadonlySet<string> = new Set([
  '429 with Retry-After: 1',
  '500',
  'a malformed chunk',
  'the socket cut in the middle of a text',
  'an end in the middle of a text',
  'an error in the stream',
  'two empty answers',
  'silence in the middle',
  'an answer without an end',
  'no usage, or a wrong one',
])

const CASES = [
  ...DIALECTS.map((dialect) => [dialect.name, dialect, FAULT_ROWS] as const),
  ...OTHER_DIALECTS.map(
    (dialect) => [dialect.name, dialect, FAULT_ROWS.filter(({ name }) => COMMON.has(name))] as const,
  ),
]

describe.each(CASES)('%s', (_, dialect, all) => {
  describe.each(MODES)('%s', (_mode, streams) => {
    const rows = all.filter((row) => streams === true || isForWhole(row, dialect))
    it.each(rows.map((row) => [row.name, row] as const))(
      `the fault %s has the outcome of its row ${verifies('C30', 'C34', 'C82')}`,
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
        expectLedger(row, done, { streams: streams === true, dialect })
        expectNothingLeaked(row, done, dialect)
      },
    )
  })
})

function isForWhole({ name, streamsOnly }: FaultRow, { hidesErrors }: FaultDialect): boolean {
  return streamsOnly !== true && (hidesErrors !== true || name !== 'an error in the stream')
}

function endOf({ report, requests, toolRuns }: FaultRecord): object {
  const { outcome, error } = report
  return { outcome, code: error?.code, class: error?.class, requests: requests.length, toolRuns }
}

function endSaid({ outcome, code, requests, toolRuns = 0, ...row }: FaultRow): object {
  return { outcome, code, class: row.class, requests, toolRuns }
}

/** Asserts that each wait is the provider's or within the jitter, and that no request is sent before it ends. */
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

/** Asserts one row per request, closed connections, and that the text of a failed answer is recorded but not used. */
function expectLedger(
  row: FaultRow,
  { report, requests, record }: FaultRecord,
  { streams, dialect }: { readonly streams: boolean; readonly dialect: FaultDialect },
): void {
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
    estimated: isReported(row, dialect) && streams ? 0 : (row.estimated ?? 0),
    open: 0,
    left: row.abandoned ?? left,
    kept: row.partialText === true && streams ? true : 'any',
    text: expectedText(row),
  })
}

/** Asserts that chunks before the end reported their usage. */
function isReported({ name }: FaultRow, { reportsEarly }: FaultDialect): boolean {
  return reportsEarly === true && name === 'an end in the middle of a text'
}

function expectedText({ outcome }: FaultRow): string {
  if (outcome === 'partial') return 'any'
  return outcome === 'completed' ? TEXT : ''
}

/** Asserts that no output contains the key, that a rejected key is reported with its location, and that no model receives file paths. */
function expectNothingLeaked(
  row: FaultRow,
  { report, seen, requests }: FaultRecord,
  dialect: FaultDialect,
): void {
  expect(seen).not.toContain(KEY)
  const named = row.code === 'model_auth' ? `${dialect.keyVariable} from process` : ''
  expect(report.error?.remediation ?? '').toContain(named)
  expect(JSON.stringify(requests.map(({ body }) => body))).not.toContain('secret.ts')
}
