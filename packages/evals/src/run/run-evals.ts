import pLimit from 'p-limit'
import { troupeError, type Attachment, type Clock, type RunEvent } from '@troupe/schema'
import { canonicalJson, sha256Hex } from '@troupe/schema/json'
import type { EvalCase, EvalFile } from '../cases/eval-case.ts'
import { answerOf, type CheckedRun, type CheckFinding } from '../checks/check-input.ts'
import { loadCheckFunction, type CheckFunction } from '../checks/function-check.ts'
import { calibrateJudges, requireLabels, type JudgeCalibration } from '../judge/calibration.ts'
import { createJudges, type Judges } from '../judge/judge.ts'
import type { AnswerSource } from '../recordings/call-recorder.ts'
import type { EvalReport, EvalTotals, EvalVariantReport } from '../report/eval-report.ts'
import { createOpenTeams, type OpenTeam, type OpenTeams } from '../teams/eval-team.ts'
import { resolveAgent, type TeamReference } from '../teams/team-reference.ts'
import { compareVariants, variantOf } from './compare-reports.ts'
import { runRepeat, type RepeatContext } from './run-repeat.ts'
import { totalsOf, type CountedRepeat } from './totals.ts'

/** The base of a comparison: a saved report, or the same cases on other cards. */
export type EvalBase =
  | { readonly name: string; readonly report: EvalReport }
  | { readonly name: string; readonly openTeam: OpenTeam }

/** A finished repeat. */
export interface EvalProgress {
  readonly id: string
  readonly model: string | undefined
  /** True for a run of the cards that are compared with. */
  readonly isBase: boolean
  readonly repeat: CountedRepeat['repeat']
  readonly finished: number
  readonly total: number
}

/** Options of an evaluation. */
export interface EvalOptions {
  /** At least one. */
  readonly files: readonly EvalFile[]
  readonly openTeam: OpenTeam
  readonly base?: EvalBase | undefined
  /** Model ids that replace those of the cards, each for a variant of its own. Default: the cards' own. */
  readonly models?: readonly string[]
  /** Repeats of every case, instead of those in the files. */
  readonly repeat?: number | undefined
  /** Time limit of each run in ms, instead of those in the files. */
  readonly timeout?: number | undefined
  /** Number of runs at the same time. Default: 4. */
  readonly parallel?: number | undefined
  /** True to approve every call that asks. Default: only stubbed calls are approved. */
  readonly approveAll?: boolean
  /** Default: every answer is asked from its model. */
  readonly answers?: AnswerSource
  readonly clock: Clock
  readonly signal?: AbortSignal | undefined
  /** Commit of the cards, for the report. */
  readonly commit?: string | undefined
  /** Reads the files of a case, relative to the folder of its file. */
  readFiles?(paths: readonly string[], folder: string): Promise<readonly Attachment[]>
  /** Called once before check functions are imported. */
  beforeCode?(): void
  onProgress?(progress: EvalProgress): void
  /** Receives the durable events of each run. */
  onEvents?(runId: string, events: readonly RunEvent[]): void
}

/** A report, and how well the judges agree with labels. */
export interface EvalResult extends EvalReport {
  readonly judges: readonly JudgeCalibration[]
}

const DEFAULT_PARALLEL = 4

/**
 * Runs every case as often as it says, checks the runs, and compares them with a base if there is one. Throws
 * for cards, check functions and judges that cannot be used; everything else is part of the result.
 */
export async function runEvals(options: EvalOptions): Promise<EvalResult> {
  const { files, base, models = [] } = options
  if (files.length === 0) throw troupeError('eval_invalid', 'There are no cases.')
  if (base !== undefined && models.length > 1)
    throw troupeError('eval_invalid', 'Only one model at a time can be compared.', {
      fix: 'Name one model in `--models`, or leave out `--compare`.',
    })
  for (const file of files) requireLabels(file)
  const teams = createOpenTeams(options.openTeam)
  const baseTeams = base !== undefined && 'openTeam' in base ? createOpenTeams(base.openTeam) : undefined
  try {
    return await evaluate(options, teams, baseTeams)
  } finally {
    await Promise.all([teams.close(), baseTeams?.close()])
  }
}

/** A case, and what its runs need. */
interface PreparedCase {
  readonly evalCase: EvalCase
  readonly file: EvalFile
  readonly reference: TeamReference
  readonly attachments: readonly Attachment[]
  readonly functions: ReadonlyMap<string, CheckFunction>
}

async function evaluate(
  options: EvalOptions,
  teams: OpenTeams,
  baseTeams: OpenTeams | undefined,
): Promise<EvalResult> {
  const { files, base, models = [], clock, commit, signal } = options
  const answers = options.answers ?? { mode: 'off' }
  const judges = createJudges({ teams, answers, signal })
  const cases = await prepareCases(options)
  const { agent, cardDigest } = await describeTeams(cases, teams)
  await Promise.all(
    cases.map(async ({ reference }) => (await baseTeams?.get(reference.cards))?.definition(reference.agent)),
  )
  const calibrations: JudgeCalibration[] = []
  for (const file of files) {
    const { cards } = resolveAgent(file.agent, file.folder)
    calibrations.push(...(await calibrateJudges(file, judges, { folder: file.folder, cards })))
  }
  const run = createCaseRunner({ options, answers, judges, sides: baseTeams === undefined ? 1 : 2 }, cases)
  const variants = models.length === 0 ? [undefined] : models
  const [baseVariant, ...current] = await Promise.all([
    baseTeams === undefined ? undefined : run(baseTeams, { model: models[0], isBase: true }),
    ...variants.map((model) => run(teams, { model, isBase: false })),
  ])
  const compared =
    base !== undefined && 'report' in base ? variantOf(base.report, models[0], base.name) : baseVariant
  const [first] = current
  return {
    version: 1,
    createdAt: new Date(clock.now()).toISOString(),
    ...(commit === undefined ? {} : { commit }),
    agent,
    cardDigest,
    variants: current,
    ...(compared === undefined || base === undefined || first === undefined
      ? {}
      : compareVariants(compared, first, base.name)),
    judges: calibrations,
  }
}

/** Loads the check functions and files of all cases. */
async function prepareCases(options: EvalOptions): Promise<readonly PreparedCase[]> {
  const { files, beforeCode } = options
  const values = files.map((file) =>
    file.cases.flatMap(({ checks }) =>
      checks.flatMap(({ fields }) => (fields.type === 'javascript' ? [fields.value] : [])),
    ),
  )
  if (values.some(({ length }) => length > 0)) beforeCode?.()
  const prepared = await Promise.all(
    files.map(async (file, index) => {
      const functions = new Map<string, CheckFunction>()
      for (const value of new Set(values[index]))
        functions.set(value, await loadCheckFunction(value, { folder: file.folder }))
      return Promise.all(
        file.cases.map(async (evalCase) => ({
          evalCase,
          file,
          reference: resolveAgent(file.agent, file.folder),
          attachments: await readFiles(evalCase, file, options),
          functions,
        })),
      )
    }),
  )
  return prepared.flat()
}

async function readFiles(
  { files, id }: EvalCase,
  { folder }: EvalFile,
  options: EvalOptions,
): Promise<readonly Attachment[]> {
  if (files.length === 0) return []
  if (options.readFiles === undefined)
    throw troupeError(
      'eval_invalid',
      `The case ${id} has files, but the evaluation was started without \`readFiles\`.`,
    )
  return options.readFiles(files, folder)
}

/** Opens the teams, and returns the names of the evaluated agents and a digest of all cards. */
async function describeTeams(
  cases: readonly PreparedCase[],
  teams: OpenTeams,
): Promise<{ readonly agent: string; readonly cardDigest: string }> {
  const names = new Set<string>()
  const digests = new Map<string, readonly (readonly [name: string, digest: string])[]>()
  for (const { reference } of cases) {
    const team = await teams.get(reference.cards)
    names.add(team.definition(reference.agent).name)
    digests.set(
      reference.cards,
      team.plan().agents.map(({ name }) => [name, team.definition(name).digest] as const),
    )
  }
  const cards = [...digests.values()].map((agents) => agents.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return { agent: [...names].join(', '), cardDigest: sha256Hex(canonicalJson(cards)) }
}

interface RunnerParts {
  readonly options: EvalOptions
  readonly answers: AnswerSource
  readonly judges: Judges
  /** 2 if the cards that are compared with run too. */
  readonly sides: number
}

type RunVariant = (
  teams: OpenTeams,
  variant: { readonly model: string | undefined; readonly isBase: boolean },
) => Promise<EvalVariantReport>

/** Creates a function that runs all cases on a team. All its calls share the limit on parallel runs. */
function createCaseRunner(
  { options, answers, judges, sides }: RunnerParts,
  cases: readonly PreparedCase[],
): RunVariant {
  const { repeat, timeout, parallel = DEFAULT_PARALLEL, approveAll = false, signal, models = [] } = options
  const limit = pLimit(parallel)
  const repeatsOf = ({ evalCase }: PreparedCase): number => repeat ?? evalCase.repeat
  const runs = cases.reduce((sum, each) => sum + repeatsOf(each), 0)
  const total = runs * (Math.max(1, models.length) + sides - 1)
  const context: RepeatContext = {
    answers,
    timeout,
    approveAll,
    signal,
    onEvents: options.onEvents?.bind(options),
  }
  let finished = 0

  return async (teams, { model, isBase }) => {
    const reports = await Promise.all(
      cases.map(async (prepared) => {
        const { evalCase, file, reference, attachments, functions } = prepared
        const judgeCalls: EvalTotals['modelCalls'][] = []
        const judge = createJudgeCheck(judges, { file, cards: reference.cards, judgeCalls })
        const team = await teams.get(reference.cards)
        const indexes = Array.from({ length: repeatsOf(prepared) }, (_, index) => index)
        const repeats = await Promise.all(
          indexes.map((index) =>
            limit(async () => {
              const task = {
                case: evalCase,
                index,
                team,
                agent: reference.agent,
                model,
                attachments,
                folder: file.folder,
              }
              const counted = await runRepeat(task, context, { clock: options.clock, functions, judge })
              finished += 1
              options.onProgress?.({
                id: evalCase.id,
                model,
                isBase,
                repeat: counted.repeat,
                finished,
                total,
              })
              return counted
            }),
          ),
        )
        const totals = totalsOf(repeats, judgeCalls)
        const { id, description } = evalCase
        const report = {
          id,
          ...(description === undefined ? {} : { description }),
          repeats: repeats.map((each) => each.repeat),
          totals,
        }
        return { report, repeats, judgeCalls }
      }),
    )
    return {
      ...(model === undefined ? {} : { model }),
      cases: reports.map(({ report }) => report),
      totals: totalsOf(
        reports.flatMap(({ repeats }) => repeats),
        reports.flatMap(({ judgeCalls }) => judgeCalls),
      ),
    }
  }
}

/** Creates the judge of the checks of one case, which counts its model calls. */
function createJudgeCheck(
  judges: Judges,
  {
    file,
    cards,
    judgeCalls,
  }: { readonly file: EvalFile; readonly cards: string; readonly judgeCalls: EvalTotals['modelCalls'][] },
): (judge: { readonly agent: string; readonly rubric: string }, run: CheckedRun) => Promise<CheckFinding> {
  return async ({ agent, rubric }, { case: { input, earlier }, report }) => {
    const text = typeof input === 'string' ? input : JSON.stringify(input)
    const conversation = [...earlier.map((message) => `${message.role}: ${message.text}`), text].join('\n')
    const question = { agent, rubric, input: conversation, output: answerOf(report) }
    const { verdict, reason, modelCalls } = await judges.ask(question, { folder: file.folder, cards })
    judgeCalls.push(modelCalls)
    return { passed: verdict === 'yes', message: reason, score: verdict === 'yes' ? 1 : 0 }
  }
}
