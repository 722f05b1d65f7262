import { troupeError } from '@troupe/schema'
import type { EvalFile, JudgeLabel } from '../cases/eval-case.ts'
import { wilsonInterval } from '../statistics/wilson.ts'
import type { JudgeAnswer, JudgeLocation, Judges } from './judge.ts'

/** How well a judge agrees with the labels of people. */
export interface JudgeCalibration {
  readonly agent: string
  readonly labels: number
  /** Share of labels with the same verdict, with its Wilson interval at 95 %. */
  readonly agreement: number
  readonly interval: readonly [low: number, high: number]
  /** Share of `yes` labels that the judge answers with `yes`; `null` without such labels. */
  readonly sensitivity: number | null
  /** Share of `no` labels that the judge answers with `no`; `null` without such labels. */
  readonly specificity: number | null
  /** True if checks of the judge may decide. */
  readonly isCalibrated: boolean
  readonly modelCalls: JudgeAnswer['modelCalls']
}

/** Fewest labels of a calibration, and of each verdict in it. */
const LEAST_LABELS = 20
const LEAST_OF_EACH = 5
/** Smallest agreement of a judge that decides. */
const LEAST_AGREEMENT = 0.9

/**
 * Throws `judge_uncalibrated` if a judge decides on cases of the file without enough labels. Needs no model
 * call.
 */
export function requireLabels(file: EvalFile): void {
  for (const agent of judgesOf(file, true)) {
    const labels = labelsOf(file, agent)
    const yes = labels.filter(({ verdict }) => verdict === 'yes').length
    const no = labels.length - yes
    if (labels.length >= LEAST_LABELS && Math.min(yes, no) >= LEAST_OF_EACH) continue
    throw troupeError(
      'judge_uncalibrated',
      `${file.path}: the judge ${agent} decides on cases, but \`calibration\` has ${labels.length} labels for it (${yes} yes, ${no} no).`,
      {
        fix: `Add labels until there are at least ${LEAST_LABELS}, with ${LEAST_OF_EACH} of each verdict, or set \`gate: false\` on its checks.`,
      },
    )
  }
}

/**
 * Asks the judges of a file about all their labels. Throws `judge_uncalibrated` if one that decides on cases
 * agrees with too few.
 */
export async function calibrateJudges(
  file: EvalFile,
  judges: Judges,
  location: JudgeLocation,
): Promise<readonly JudgeCalibration[]> {
  const calibrations: JudgeCalibration[] = []
  for (const agent of judgesOf(file, false)) {
    if (labelsOf(file, agent).length === 0) continue
    const calibration = await calibrate(file, agent, (question) => judges.ask(question, location))
    calibrations.push(calibration)
    if (!calibration.isCalibrated && judgesOf(file, true).includes(agent))
      throw disagreement(file, calibration)
  }
  return calibrations
}

async function calibrate(
  file: EvalFile,
  agent: string,
  ask: (question: Parameters<Judges['ask']>[0]) => Promise<JudgeAnswer>,
): Promise<JudgeCalibration> {
  const labels = labelsOf(file, agent)
  const answers: JudgeAnswer[] = []
  for (const { rubric, input = '', output } of labels)
    answers.push(await ask({ agent, rubric, input, output }))
  const agrees = labels.map(({ verdict }, index) => answers[index]?.verdict === verdict)
  const share = (verdict: JudgeLabel['verdict']): number | null => {
    const own = agrees.filter((_, index) => labels[index]?.verdict === verdict)
    return own.length === 0 ? null : own.filter(Boolean).length / own.length
  }
  const count = agrees.filter(Boolean).length
  const sum = (kind: 'asked' | 'recorded'): number =>
    answers.reduce((total, { modelCalls }) => total + modelCalls[kind], 0)
  return {
    agent,
    labels: labels.length,
    agreement: count / labels.length,
    interval: wilsonInterval(count, labels.length) ?? [0, 1],
    sensitivity: share('yes'),
    specificity: share('no'),
    isCalibrated: labels.length >= LEAST_LABELS && count / labels.length >= LEAST_AGREEMENT,
    modelCalls: { asked: sum('asked'), recorded: sum('recorded') },
  }
}

function disagreement({ path }: EvalFile, { agent, agreement, labels, interval }: JudgeCalibration): Error {
  const [low, high] = interval.map((bound) => bound.toFixed(2))
  return troupeError(
    'judge_uncalibrated',
    `${path}: the judge ${agent} decides on cases, but agrees with only ${Math.round(agreement * labels)} of ${labels} labels (${low} to ${high} at 95 %).`,
    {
      fix: `Improve its card or the rubric until it agrees with ${LEAST_AGREEMENT * 100} % of the labels, or set \`gate: false\` on its checks.`,
    },
  )
}

/** Returns the judges that the checks of a file name, or only those that decide. */
function judgesOf({ cases }: EvalFile, decidingOnly: boolean): readonly string[] {
  const names = cases.flatMap(({ checks }) =>
    checks.flatMap(({ fields, gate }) =>
      fields.type === 'judge' && (gate || !decidingOnly) ? [fields.agent] : [],
    ),
  )
  return [...new Set(names)]
}

function labelsOf(
  { calibration }: EvalFile,
  agent: string,
): readonly (JudgeLabel & { readonly rubric: string })[] {
  return calibration
    .filter((each) => each.agent === agent)
    .flatMap(({ rubric, labels }) => labels.map((label) => ({ ...label, rubric })))
}
