import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { RunEvent } from '@troupe/schema'
import { sha256Hex } from '@troupe/schema/json'
import type { EvalRepeat, EvalReport } from '../report/eval-report.ts'

/** Folder of saved reports, in the folder of the case files. */
export const REPORT_FOLDER = '.troupe/evals'
/** Name of the file of a report: time, case files, and a part that makes it unique. */
export const REPORT_FILE: RegExp = /^(?<id>\d{8}T\d{9}Z-(?<cases>[\da-f]{8})-[\da-f]{8})\.json$/u
/** Saved reports of the same case files. */
const MAX_REPORTS = 200
/** Longest answer that is saved, in characters. */
const MAX_OUTPUT = 20_000
/** Most bytes of events of one report, before compression. */
const MAX_EVENT_BYTES = 32 * 1024 * 1024

const compress = promisify(gzip)

/** A finished evaluation, to be saved. */
export interface ReportToSave {
  readonly report: EvalReport
  /** Paths of the case files. */
  readonly caseFiles: readonly string[]
  /** Events of the runs by run id, without secrets, as a host emits them. */
  readonly runs: ReadonlyMap<string, readonly RunEvent[]>
  /** Replaces secrets in every text of the report. */
  redact<T>(value: T): T
}

/**
 * Saves a report and the events of its runs in a folder, and deletes the oldest reports of the same case
 * files. Long answers are cut, and events beyond a limit are left out, those of passed repeats first. Resolves
 * with the id of the report.
 */
export async function saveReport(
  folder: string,
  { report, caseFiles, runs, redact }: ReportToSave,
  { keep = MAX_REPORTS }: { readonly keep?: number } = {},
): Promise<string> {
  const names = caseFiles.map((path) => basename(path)).toSorted()
  const cases = sha256Hex(names.join('\n')).slice(0, 8)
  const id = `${report.createdAt.replaceAll(/[-:.]/gu, '')}-${cases}-${randomUUID().slice(0, 8)}`
  const { lines, runIds } = eventLines(report, runs)
  const stored = { ...redact(withShortOutputs(report)), id, caseFiles: names, runIds }
  await mkdir(folder, { recursive: true })
  // The reports contain answers, so they are not committed by accident.
  await writeFile(join(folder, '.gitignore'), '*\n')
  if (lines !== '') await replaceFile(join(folder, `${id}.jsonl.gz`), await compress(lines))
  await replaceFile(join(folder, `${id}.json`), `${JSON.stringify(stored, null, 1)}\n`)
  await deleteOldReports(folder, cases, keep)
  return id
}

function withShortOutputs(report: EvalReport): EvalReport {
  const shorten = ({ output, ...repeat }: EvalRepeat): EvalRepeat => ({
    ...repeat,
    ...(output === undefined ? {} : { output: output.slice(0, MAX_OUTPUT) }),
  })
  return {
    ...report,
    variants: report.variants.map((variant) => ({
      ...variant,
      cases: variant.cases.map((each) => ({ ...each, repeats: each.repeats.map(shorten) })),
    })),
  }
}

/** Returns the events of the runs of a report as lines of JSON. */
function eventLines(
  { variants }: EvalReport,
  runs: ReadonlyMap<string, readonly RunEvent[]>,
): { readonly lines: string; readonly runIds: readonly string[] } {
  const repeats = variants.flatMap(({ cases }) => cases.flatMap((each) => each.repeats))
  const byNeed = repeats.toSorted((a, b) => Number(a.status === 'passed') - Number(b.status === 'passed'))
  const texts = new Map<string, string>()
  let bytes = 0
  for (const { runId } of byNeed) {
    const events = runId === undefined ? undefined : runs.get(runId)
    if (events === undefined || runId === undefined || texts.has(runId)) continue
    const text = events.map((event) => `${JSON.stringify(event)}\n`).join('')
    const size = Buffer.byteLength(text)
    if (bytes + size > MAX_EVENT_BYTES) continue
    bytes += size
    texts.set(runId, text)
  }
  return { lines: [...texts.values()].join(''), runIds: [...texts.keys()] }
}

/** Writes a file that another process may read at the same time. */
async function replaceFile(file: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${file}.${randomUUID()}`
  await writeFile(temporary, content)
  await rename(temporary, file)
}

async function deleteOldReports(folder: string, cases: string, keep: number): Promise<void> {
  const ids = (await readdir(folder)).flatMap((name) => {
    const groups = REPORT_FILE.exec(name)?.groups
    return groups?.['cases'] === cases ? (groups['id'] ?? []) : []
  })
  const old = ids.toSorted().slice(0, Math.max(0, ids.length - keep))
  await Promise.all(
    old.flatMap((id) => ['json', 'jsonl.gz'].map((end) => rm(join(folder, `${id}.${end}`), { force: true }))),
  )
}
