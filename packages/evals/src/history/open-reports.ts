import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { errorMessage, troupeError, type RunEvent } from '@troupe/schema'
import { compareVariants, parseReport } from '../run/compare-reports.ts'
import { REPORT_FILE } from './save-report.ts'
import { summarizeReport, type EvalReports, type ReportSummary, type StoredReport } from './stored-report.ts'

/** Largest file of a report, and most bytes of its events. */
const MAX_BYTES = 64 * 1024 * 1024
/** Most reports that are listed, over all case files. */
const MAX_LISTED = 1000

const expand = promisify(gunzip)

/** Opens folders with saved reports. A folder that does not exist has none. Damaged files are left out. */
export function openReports(folders: readonly string[]): EvalReports {
  const summaries = new Map<string, ReportSummary>()
  const find = async (id: string): Promise<string | undefined> =>
    (await findReports(folders)).find((found) => found.id === id)?.folder
  const read = async (id: string): Promise<StoredReport | undefined> => {
    const folder = await find(id)
    return folder === undefined ? undefined : readReport(folder, id)
  }
  return {
    async list() {
      const found = (await findReports(folders)).slice(0, MAX_LISTED)
      const listed: ReportSummary[] = []
      for (const { id, folder } of found) {
        const summary = summaries.get(id) ?? (await summaryOf(folder, id))
        if (summary === undefined) continue
        summaries.set(id, summary)
        listed.push(summary)
      }
      return listed
    },
    async read(id, { base: baseId } = {}) {
      const report = await read(id)
      if (report === undefined || baseId === undefined) return report
      const base = await read(baseId)
      if (base === undefined) throw troupeError('eval_invalid', `There is no report ${baseId}.`)
      return compareStored(base, report)
    },
    async events(id, runId) {
      const folder = await find(id)
      return folder === undefined ? undefined : readEvents(join(folder, `${id}.jsonl.gz`), runId)
    },
  }
}

interface FoundReport {
  readonly id: string
  readonly folder: string
}

/** Returns the reports of all folders, newest first. */
async function findReports(folders: readonly string[]): Promise<readonly FoundReport[]> {
  const found = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(folder).catch((): string[] => [])
      return names.flatMap((name) => {
        const id = REPORT_FILE.exec(name)?.groups?.['id']
        return id === undefined ? [] : [{ id, folder }]
      })
    }),
  )
  return found.flat().toSorted((a, b) => (a.id < b.id ? 1 : -1))
}

async function summaryOf(folder: string, id: string): Promise<ReportSummary | undefined> {
  try {
    return summarizeReport(await readReport(folder, id))
  } catch {
    // Reading the report itself reports the damage.
    return undefined
  }
}

/** Reads a report. Throws `eval_invalid` if the file is damaged. */
async function readReport(folder: string, id: string): Promise<StoredReport> {
  const file = join(folder, `${id}.json`)
  try {
    if ((await stat(file)).size > MAX_BYTES) throw new Error('the file is too large')
    const report = parseReport(await readFile(file, 'utf8'), `${id}.json`) as Omit<
      StoredReport,
      'caseFiles' | 'runIds'
    > &
      Partial<Pick<StoredReport, 'caseFiles' | 'runIds'>>
    return { ...report, id, caseFiles: report.caseFiles ?? [], runIds: report.runIds ?? [] }
  } catch (thrown) {
    throw troupeError('eval_invalid', `The report ${id} cannot be read: ${errorMessage(thrown)}`, {
      fix: 'Delete its files in `.troupe/evals`.',
    })
  }
}

/**
 * Compares the first variant of a report with the variant of the same model, or else the first one, of a base. The
 * result replaces the report's own comparison.
 */
function compareStored(base: StoredReport, report: StoredReport): StoredReport {
  const [current] = report.variants
  const other = base.variants.find(({ model }) => model === current?.model) ?? base.variants[0]
  if (current === undefined || other === undefined)
    throw troupeError('eval_invalid', 'A report without results cannot be compared.')
  const { comparison: _, comparisonProblem: _problem, ...own } = report
  return { ...own, ...compareVariants(other, current, base.id) }
}

async function readEvents(file: string, rootRunId: string): Promise<readonly RunEvent[] | undefined> {
  let text: string
  try {
    text = (await expand(await readFile(file), { maxOutputLength: MAX_BYTES })).toString('utf8')
  } catch {
    // The events are not saved, or the file is damaged: the report is complete without them.
    return undefined
  }
  const events: RunEvent[] = []
  for (const line of text.split('\n')) {
    if (line === '') continue
    const event = JSON.parse(line) as RunEvent
    if (event.rootRunId === rootRunId) events.push(event)
  }
  return events.length === 0 ? undefined : events
}
