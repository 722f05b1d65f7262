import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openReports, saveReport, type EvalReport, type ReportToSave } from '../src/index.ts'
import { caseReport, clerkRun, comparison, repeat, sampleReport, totals } from './sample-report.ts'

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-reports-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'evals')
}

function toSave(report: EvalReport, more: Partial<ReportToSave> = {}): ReportToSave {
  return {
    report,
    caseFiles: ['/team/answers.eval.yaml'],
    runs: new Map(),
    redact: (value) => value,
    ...more,
  }
}

function at(minute: number, more: Partial<EvalReport> = {}): EvalReport {
  return sampleReport({ createdAt: `2026-10-01T08:${String(minute).padStart(2, '0')}:00.000Z`, ...more })
}

it('a saved report is listed with its totals and read as a whole', async () => {
  const folder = await emptyFolder()
  const id = await saveReport(folder, toSave(at(1)))
  const reports = openReports([folder])
  const [summary] = await reports.list()
  expect(summary).toEqual({
    id,
    createdAt: '2026-10-01T08:01:00.000Z',
    commit: '1a2b3c4',
    agent: 'clerk',
    cardDigest: 'd1ge57',
    caseFiles: ['answers.eval.yaml'],
    variants: [{ totals: totals(2, 2, { errors: 1 }) }],
  })
  expect(await reports.read(id)).toEqual({
    ...at(1),
    id,
    caseFiles: ['answers.eval.yaml'],
    runIds: [],
  })
  expect(await reports.read('../secrets')).toBeUndefined()
})

it('the newest reports of the same case files are kept, and those of other case files too', async () => {
  const folder = await emptyFolder()
  await saveReport(folder, toSave(at(0), { caseFiles: ['/team/other.eval.yaml'] }), { keep: 2 })
  for (const minute of [1, 2, 3]) await saveReport(folder, toSave(at(minute)), { keep: 2 })
  const listed = await openReports([folder]).list()
  expect(listed.map(({ createdAt }) => createdAt.slice(14, 16))).toEqual(['03', '02', '00'])
  expect((await readdir(folder)).filter((name) => name.endsWith('.json'))).toHaveLength(3)
})

it('the events of each run are kept for its timeline, and those of runs of no repeat are not', async () => {
  const folder = await emptyFolder()
  const events = clerkRun()
  const runs = new Map([
    ['run_0', events],
    ['run_base', events],
  ])
  const id = await saveReport(folder, toSave(at(1), { runs }))
  const reports = openReports([folder])
  expect((await reports.read(id))?.runIds).toContain('run_0')
  expect((await reports.read(id))?.runIds).not.toContain('run_base')
  expect(await reports.events(id, 'run_0')).toEqual(events)
  expect(await reports.events(id, 'run_9')).toBeUndefined()
})

it('secrets are replaced in a saved report, and long answers are cut', async () => {
  const folder = await emptyFolder()
  const output = `${'x'.repeat(30_000)} s3cret`
  const report = at(1, {
    variants: [
      {
        cases: [caseReport('a', { repeats: [repeat(0, { output }), repeat(1, { output: 'the s3cret' })] })],
        totals: totals(2, 0),
      },
    ],
  })
  const redact = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll('s3cret', '[redacted]')) as T
  const id = await saveReport(folder, toSave(report, { redact }))
  const text = await readFile(join(folder, `${id}.json`), 'utf8')
  expect(text).not.toContain('s3cret')
  expect(text).toContain('the [redacted]')
  expect(text.length).toBeLessThan(25_000)
})

it('a report is compared with another one of the history, case by case', async () => {
  const folder = await emptyFolder()
  const withCounts = (minute: number, passed: number): EvalReport =>
    at(minute, {
      variants: [
        {
          cases: [caseReport('hours', { totals: totals(passed, 40 - passed) })],
          totals: totals(passed, 40 - passed),
        },
      ],
    })
  const base = await saveReport(folder, toSave(withCounts(1, 38)))
  const current = await saveReport(folder, toSave(withCounts(2, 5)))
  const report = await openReports([folder]).read(current, { base })
  expect(report?.comparison).toMatchObject({
    base,
    verdict: 'worse',
    cases: [{ id: 'hours', verdict: 'worse' }],
  })
  await expect(openReports([folder]).read(current, { base: 'missing' })).rejects.toThrow('no report missing')
})

it('a report is not compared, and says why, if a configuration error broke every run of it or of its base', async () => {
  const folder = await emptyFolder()
  const error = { code: 'model_script_invalid', message: 'The script has no rules.' }
  const broken = caseReport('hours', {
    repeats: [repeat(0, { status: 'error', checks: [], error })],
    totals: totals(0, 0, { errors: 1 }),
  })
  const good = caseReport('hours')
  const save = async (minute: number, each: typeof good, more: Partial<EvalReport> = {}): Promise<string> =>
    saveReport(folder, toSave(at(minute, { variants: [{ cases: [each], totals: each.totals }], ...more })))
  const goodId = await save(1, good)
  const brokenId = await save(2, broken, { comparison: comparison() })
  const reports = openReports([folder])
  const current = await reports.read(brokenId, { base: goodId })
  expect([current?.comparison, current?.comparisonProblem]).toEqual([
    undefined,
    `Not compared with ${goodId}: every case failed with model_script_invalid.`,
  ])
  const base = await reports.read(goodId, { base: brokenId })
  expect([base?.comparison, base?.comparisonProblem]).toEqual([
    undefined,
    `Not compared with ${brokenId}: there, every case failed with model_script_invalid.`,
  ])
})

it('a damaged report is left out of the list, and reading it names the file to delete', async () => {
  const folder = await emptyFolder()
  const id = await saveReport(folder, toSave(at(1)))
  await writeFile(join(folder, `${id}.json`), '{"version": 1')
  const reports = openReports([folder, join(folder, 'missing')])
  expect(await reports.list()).toEqual([])
  await expect(reports.read(id)).rejects.toThrow(`The report ${id} cannot be read`)
})
