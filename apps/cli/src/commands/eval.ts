import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import {
  createEvalSpending,
  formatHtml,
  formatJunit,
  formatTable,
  isConfigError,
  openRecordingFolder,
  parseReport,
  readCases,
  REPORT_FOLDER,
  runEvals,
  saveReport,
  type EvalBase,
  type EvalFile,
  type EvalOptions,
  type EvalResult,
  type OpenTeam,
  type RecordingMode,
} from '@troupe/evals'
import { errorMessage, troupeError, type RunEvent } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import { parseBudgetOptions, parseCountOption, parseDurationOption } from '../input/option-values.ts'
import { readAttachments } from '../input/read-message.ts'
import { judgeLine, progressLine, tooFewLine } from '../reporter/eval-lines.ts'
import { isAdvice, printFindings } from '../reporter/plan-problems.ts'
import { commitOf, writeCommitFiles } from '../team/commit-cards.ts'
import { loadHost, type TeamOptions } from '../team/load-host.ts'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'

export interface EvalCommandOptions extends Pick<
  TeamOptions,
  'card' | 'config' | 'root' | 'env' | 'envFile' | 'date'
> {
  /** Git ref, or the path of a report. */
  readonly compare?: string
  readonly models?: string
  readonly repeat?: string
  readonly parallel?: string
  readonly timeout?: string
  readonly maxCost?: string
  readonly recordings?: string
  readonly recordingsMode?: RecordingMode
  readonly yes?: boolean
  readonly json?: boolean
  /** File for the report as JUnit XML. */
  readonly junit?: string
  /** File for the report as a page with the timelines of the runs. */
  readonly html?: string
  /** False (`--no-save`) to keep no report for the web page. */
  readonly save?: boolean
  readonly quiet?: boolean
}

/** Runs `troupe eval <path>`: evaluates the cases at a path. Resolves with the exit code. */
export async function evalCommand(
  path: string,
  options: EvalCommandOptions,
  context: CommandContext,
): Promise<number> {
  const { terminal, cwd, stop } = context
  const { files, problems } = readCases(path, cwd)
  if (problems.length > 0) {
    printFindings(problems, {}, context)
    return EXIT.usage
  }
  const folder = files[0]?.folder ?? cwd
  const spending = parseBudgetOptions(options).maxCost
  const limit = spending === undefined ? undefined : createEvalSpending(spending)
  const base = await openBase(options, folder, context)
  const teams = createRedactingTeams(openTeam(options, context))
  /** Events of the runs, for their timelines. */
  const runs = new Map<string, readonly RunEvent[]>()
  try {
    const result = await runEvals({
      ...parseOptions(options),
      files,
      openTeam: teams.open,
      base: base?.base,
      answers: {
        ...(options.recordings === undefined
          ? {}
          : { recordings: openRecordingFolder(options.recordings, cwd) }),
        mode: recordingMode(options),
        ...(limit === undefined ? {} : { spending: limit }),
      },
      clock: context.clock,
      signal: stop.signal,
      commit: await commitOf(folder, context),
      readFiles: (paths, from) => readAttachments({ file: paths }, from),
      beforeCode: () => context.beforeCardCode(),
      onProgress: (progress) => {
        if (options.quiet !== true && !stop.silent) terminal.stderr.write(`${progressLine(progress)}\n`)
      },
      ...(options.html === undefined && options.save === false
        ? {}
        : { onEvents: (runId: string, events: readonly RunEvent[]) => void runs.set(runId, events) }),
    })
    if (options.save !== false)
      await keepReport(folder, { result, files, runs, redact: teams.redact }, context)
    if (options.junit !== undefined) writeReport(options.junit, formatJunit(result), context)
    if (options.html !== undefined) writeReport(options.html, formatHtml(result, runs), context)
    if (!stop.silent) printResult(result, options, context)
    if (limit?.isExceeded === true) return EXIT.budget
    return stop.exitCode ?? exitCodeOfEval(result)
  } finally {
    await base?.remove()
  }
}

/** Opens teams, and replaces the secrets of all of them. */
function createRedactingTeams(open: OpenTeam): {
  readonly open: OpenTeam
  readonly redact: <T>(value: T) => T
} {
  const opened: Awaited<ReturnType<OpenTeam>>[] = []
  return {
    async open(cards) {
      const team = await open(cards)
      opened.push(team)
      return team
    },
    redact: (value) => opened.reduce((redacted, team) => team.redact(redacted), value),
  }
}

/** Saves the report for the web page. A folder that cannot be written is a warning. */
async function keepReport(
  folder: string,
  {
    result,
    files,
    runs,
    redact,
  }: {
    readonly result: EvalResult
    readonly files: readonly EvalFile[]
    readonly runs: ReadonlyMap<string, readonly RunEvent[]>
    readonly redact: <T>(value: T) => T
  },
  { terminal: { stderr, style }, stop }: CommandContext,
): Promise<void> {
  const { judges: _, ...report } = result
  const caseFiles = files.map(({ path }) => path)
  try {
    await saveReport(join(folder, REPORT_FOLDER), { report, caseFiles, runs, redact })
  } catch (thrown) {
    if (stop.silent) return
    stderr.write(`${style.yellow('warning:')} The report is not saved: ${plainText(errorMessage(thrown))}\n`)
  }
}

/** Prints the report as JSON or as a table. */
function printResult(
  result: EvalResult,
  { json }: EvalCommandOptions,
  { terminal: { stdout, outColors } }: CommandContext,
): void {
  if (json === true) {
    stdout.write(`${JSON.stringify(result, null, 2)}\n`)
    return
  }
  const width = stdout.isTTY === true && stdout.columns ? stdout.columns : DEFAULT_WIDTH
  stdout.write(formatTable(result, { width, color: outColors }))
  const problem = result.comparisonProblem === undefined ? [] : [plainText(result.comparisonProblem)]
  for (const line of [...problem, ...result.judges.map(judgeLine), ...tooFewLine(result)])
    stdout.write(`${line}\n`)
}

/** Width of a table that is not printed on a terminal. */
const DEFAULT_WIDTH = 120

/** Writes a report, and the folders above it that are missing. */
function writeReport(path: string, text: string, { cwd }: CommandContext): void {
  const file = resolve(cwd, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function parseOptions(
  options: EvalCommandOptions,
): Pick<EvalOptions, 'models' | 'repeat' | 'parallel' | 'timeout' | 'approveAll'> {
  const { models, repeat, parallel, timeout, yes } = options
  return {
    models: models === undefined ? [] : models.split(',').map((model) => model.trim()),
    ...(repeat === undefined ? {} : { repeat: parsePositive(repeat, '--repeat') }),
    ...(parallel === undefined ? {} : { parallel: parsePositive(parallel, '--parallel') }),
    ...(timeout === undefined ? {} : { timeout: parseDurationOption(timeout, '--timeout') }),
    approveAll: yes === true,
  }
}

const MOST = 1000

function parsePositive(value: string, option: string): number {
  const count = parseCountOption(value, option)
  if (count >= 1 && count <= MOST) return count
  throw troupeError('usage_invalid', `${option}: "${value}" is not a number from 1 to ${MOST}.`)
}

function recordingMode({ recordings, recordingsMode }: EvalCommandOptions): RecordingMode {
  if (recordings !== undefined) return recordingsMode ?? 'auto'
  if (recordingsMode === undefined || recordingsMode === 'off') return 'off'
  throw troupeError('usage_invalid', `--recordings-mode ${recordingsMode} needs a folder.`, {
    fix: 'Add --recordings with the folder of the recordings.',
  })
}

/** Returns a function that loads the cards of a team, and prints their problems. */
function openTeam(options: EvalCommandOptions, context: CommandContext): OpenTeam {
  const { card: edited = [] } = options
  return async (cards) => {
    const host = await loadHost([cards], { ...pickTeamOptions(options), edited }, context)
    const forget = context.atExit(() => host.kill())
    const problems = host.plan().problems.filter((problem) => !isAdvice(problem))
    printFindings(options.quiet === true ? problems.filter(isError) : problems, {}, context)
    const close = async (): Promise<void> => {
      await host.close()
      forget()
    }
    return { ...host, close }
  }
}

function isError({ severity }: { readonly severity: string }): boolean {
  return severity === 'error'
}

function pickTeamOptions({ config, root, env, envFile, date }: EvalCommandOptions): TeamOptions {
  if (date !== undefined && Number.isNaN(Date.parse(date)))
    throw troupeError('usage_invalid', `--date: "${date}" is not a date.`, { fix: 'Write it as 2026-01-31.' })
  return {
    ...(config === undefined ? {} : { config }),
    ...(root === undefined ? {} : { root }),
    ...(env === undefined ? {} : { env }),
    ...(envFile === undefined ? {} : { envFile }),
    ...(date === undefined ? {} : { date }),
  }
}

interface OpenedBase {
  readonly base: EvalBase
  remove(): Promise<void>
}

/** Reads the report of `--compare`, or writes the cards of its commit to a temporary folder. */
async function openBase(
  options: EvalCommandOptions,
  folder: string,
  context: CommandContext,
): Promise<OpenedBase | undefined> {
  const { compare: name } = options
  if (name === undefined) return undefined
  if (name.endsWith('.json')) {
    const file = resolve(context.cwd, name)
    if (!existsSync(file)) throw troupeError('usage_invalid', `--compare ${name}: the file does not exist.`)
    return {
      base: { name, report: parseReport(readFileSync(file, 'utf8'), name) },
      remove: async () => undefined,
    }
  }
  const files = await writeCommitFiles(name, folder, context)
  const { card: _edited, ...own } = options
  const open = openTeam(own, context)
  return { base: { name, openTeam: (cards) => open(files.pathOf(cards)) }, remove: files.remove }
}

/** Returns the exit code of a complete evaluation. With a comparison, its verdicts decide. */
function exitCodeOfEval({ variants, comparison, comparisonProblem }: EvalResult): number {
  const cases = variants.flatMap((variant) => variant.cases)
  const codes = cases.flatMap(({ repeats }) =>
    repeats.flatMap(({ status, error }) => (status === 'error' ? [error?.code ?? 'internal'] : [])),
  )
  if (codes.some(isConfigError) || comparisonProblem !== undefined) return EXIT.usage
  const isWorse =
    comparison === undefined
      ? cases.some(({ totals }) => totals.failed > 0)
      : [comparison, ...comparison.cases].some(({ verdict }) => verdict === 'worse')
  if (isWorse) return EXIT.partial
  const isEmpty = comparison?.baseTotals.rate === null
  return codes.length > 0 || isEmpty ? EXIT.failed : EXIT.completed
}
