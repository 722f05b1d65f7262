import type { Failure, Outcome } from '../errors/errors.ts'

/** A tool call, child run or warning that weakens the result of a run. */
export interface RunProblem {
  /** The run that failed or, for a tool call or a warning, the run that it belongs to. */
  readonly runId: string
  readonly agent: string
  readonly instance: string
  /** Canonical name of the tool. Absent for child runs and warnings. */
  readonly tool?: string
  readonly code: string
  /** Message with at most {@link MAX_PROBLEM_MESSAGE} characters. */
  readonly message: string
}

/** Problems of a run and the runs below it. */
export interface RunProblems {
  /** Problems in order of occurrence; at most {@link MAX_PROBLEMS}. */
  readonly problems: readonly RunProblem[]
  /** Total number of problems, including unlisted ones. */
  readonly problemCount: number
}

/** Maximum number of problems in a report. */
export const MAX_PROBLEMS = 100

/** Maximum length of the message of a listed problem, in characters. */
export const MAX_PROBLEM_MESSAGE = 500

/** No problems. */
export const NO_PROBLEMS: RunProblems = Object.freeze({ problems: Object.freeze([]), problemCount: 0 })

const PROBLEM_OUTCOMES: ReadonlySet<Outcome> = new Set(['partial', 'failed', 'timeout', 'budget', 'denied'])

/**
 * Returns the problem of a call or child run with this outcome, or `undefined` if there is none. Cancelled
 * work is not a problem: the run above it was cancelled too, and its own `error` says why.
 */
export function problemOf(
  where: Pick<RunProblem, 'runId' | 'agent' | 'instance' | 'tool'>,
  end: { readonly outcome: Outcome; readonly failure?: Failure | undefined },
): RunProblem | undefined {
  if (!PROBLEM_OUTCOMES.has(end.outcome)) return undefined
  const { runId, agent, instance, tool } = where
  return {
    runId,
    agent,
    instance,
    ...(tool === undefined ? {} : { tool }),
    code: end.failure?.code ?? end.outcome,
    message: problemMessage(
      end.failure?.message ?? `The run ended with the outcome ${end.outcome} and without an error message.`,
    ),
  }
}

/** Cuts the message of a problem to {@link MAX_PROBLEM_MESSAGE} characters. */
export function problemMessage(message: string): string {
  if (message.length <= MAX_PROBLEM_MESSAGE) return message
  return `${message.slice(0, MAX_PROBLEM_MESSAGE - 1).toWellFormed()}…`
}
