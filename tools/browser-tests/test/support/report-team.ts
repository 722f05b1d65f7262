import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openReports, saveReport, wilsonInterval, type EvalReport, type EvalTotals } from '@troupe/evals'
import type { RunEvent } from '@troupe/schema'
import { onTestFinished } from 'vitest'
import { serveTeam, type ServedTeam } from './served-team.ts'

const USAGE = { inputTokens: 900, outputTokens: 80, cost: 0.0042, durationMs: 3100 }

function totals(passed: number, counted: number): EvalTotals {
  return {
    passed,
    failed: counted - passed,
    errors: 0,
    rate: passed / counted,
    interval: wilsonInterval(passed, counted) ?? null,
    usage: USAGE,
    modelCalls: { asked: counted, recorded: 0 },
  }
}

/** Creates a report of two cases of which one failed in all repeats but `passed`. */
function report(hour: number, cards: string, passed: number, runId: string): EvalReport {
  const repeats = Array.from({ length: 20 }, (_, index) => ({
    index,
    status: index < passed ? ('passed' as const) : ('failed' as const),
    ...(index === 19 ? { runId } : {}),
    output: index < passed ? 'A ferry and two gulls.' : 'Nothing happened.',
    checks: [
      {
        name: 'contains "ferry"',
        passed: index < passed,
        gate: true,
        ...(index < passed ? {} : { message: 'the answer is "Nothing happened."' }),
      },
    ],
    usage: USAGE,
    recorded: false,
  }))
  const quiet = repeats.map((each) => ({ ...each, status: 'passed' as const, checks: [] }))
  return {
    version: 1,
    createdAt: `2026-10-0${hour}T08:30:00.000Z`,
    commit: '1a2b3c4d5e6f',
    agent: 'Newsroom',
    cardDigest: cards,
    variants: [
      {
        cases: [
          {
            id: 'quiet-day',
            description: 'Says so if nothing happened.',
            repeats: quiet,
            totals: totals(20, 20),
          },
          {
            id: 'harbour',
            description: 'Finds the ferry in the harbour.',
            repeats,
            totals: totals(passed, 20),
          },
        ],
        totals: totals(20 + passed, 40),
      },
    ],
  }
}

/** Creates a report of a team whose cards broke every run. */
function brokenReport(hour: number): EvalReport {
  const error = { code: 'model_script_invalid', message: 'The script has no rules.' }
  const repeat = { index: 0, status: 'error' as const, checks: [], error, usage: USAGE, recorded: false }
  const none = { ...totals(0, 1), failed: 0, errors: 1, rate: null, interval: null }
  const whole = report(hour, 'be11e5678', 0, 'run_none')
  const [variant] = whole.variants
  const cases = variant?.cases.map(({ id }) => ({ id, repeats: [repeat], totals: none })) ?? []
  return { ...whole, variants: [{ cases, totals: { ...none, errors: 2 } }] }
}

/** Runs an agent, and returns the events of its run. */
async function eventsOf(team: ServedTeam, runId: string, text: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = []
  await team.host.run('Newsroom', text, { runId, onEvent: (event) => void events.push(event) })
  return events.filter(({ seq }) => seq !== undefined)
}

/** A served team with reports, and functions that save further ones. */
interface ReportTeam extends ServedTeam {
  saveReport(passed: number): Promise<void>
  saveBrokenReport(): Promise<void>
}

/** Serves a team with six reports, of which the last one is worse. */
export async function serveReports(): Promise<ReportTeam> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-reports-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const team = await serveTeam({ evals: openReports([folder]) })
  let index = -1
  const keep = async (saved: EvalReport, runs: ReadonlyMap<string, readonly RunEvent[]>): Promise<void> => {
    const caseFiles = ['news.eval.yaml']
    await saveReport(folder, { report: saved, caseFiles, runs, redact: (value) => value })
  }
  const save = async (passed: number): Promise<void> => {
    index += 1
    const runId = `run_eval_${index}`
    const events = await eventsOf(
      team,
      runId,
      index < 3 ? 'What happened in the harbour?' : 'What happened in the old harbour?',
    )
    const cards = index < 3 ? 'c0ffee1234' : 'be11e5678'
    await keep(report(index + 1, cards, passed, runId), new Map([[runId, events]]))
  }
  for (const passed of [14, 16, 15, 19, 18, 4]) await save(passed)
  return {
    ...team,
    saveReport: save,
    async saveBrokenReport() {
      index += 1
      await keep(brokenReport(index + 1), new Map())
    },
  }
}
