import { failure, outcomeOf, type Failure, type MaybePromise, type PreparedAgent } from '@troupe/schema'
import { askModel, type ModelAnswer } from '../model/ask-model.ts'
import { callLoopHook } from '../model/loop-hooks.ts'
import { hasRecordedAnswer } from '../log/recorded-answer.ts'
import { repairAnswer } from './repair-answer.ts'
import {
  envelopeOf,
  hasListeners,
  appendMessage,
  appendEvent,
  appendEventDraft,
  endOfStoppedRun,
  type Run,
  type RunEnd,
} from '../run/run.ts'
import { refuseCalls, runCalls, type TurnResults } from '../tools/run-calls.ts'
import { whenKnown } from '../time/when-known.ts'

/**
 * Runs the agent loop until the model answers without calling tools. At most `maxTurns` turns may call tools.
 * If the last of them does, one closing turn without tools follows.
 */
export function runTurns(run: Run, prepared: PreparedAgent): Promise<RunEnd> {
  const ending = takeTurns(run, prepared)
  return run.output.schema === undefined ? ending : ending.then((end) => repairAnswer(run, prepared, end))
}

/** Runs wait for their model here. The rest of a turn is in other functions, to hold little state. */
async function takeTurns(run: Run, prepared: PreparedAgent): Promise<RunEnd> {
  const { maxTurns } = run.definition.limits
  for (let turn = 1; turn <= maxTurns; turn++) {
    // a result that was truncated in the previous turn adds a tool to read on
    const offered = run.prepared ?? prepared
    const starting = startTurn(run, turn)
    const broken = starting === undefined ? undefined : await starting
    if (broken !== undefined) return endWithFailure(run, broken)
    const step = await askModel(run, offered, { mayCall: true })
    const end = await ('failure' in step
      ? handleFailedTurn(run, offered, step.failure)
      : completeTurn(run, offered, step))
    if (end !== undefined) return end
  }
  const limit = failure('turns_exceeded', `The agent used up its ${maxTurns} turns before it had finished.`)
  run.turn = maxTurns + 1
  appendEvent(run, 'turn-start', { turn: run.turn })
  return closeWithoutTools(run, prepared, limit)
}

/** Starts a turn. Returns the failure of its hook, if there is one. */
function startTurn(run: Run, turn: number): ReturnType<typeof callLoopHook> {
  run.turn = turn
  if (hasListeners(run)) appendEventDraft(run, { ...envelopeOf(run, 'turn-start'), turn })
  // the hooks already saw this turn before the interruption
  return hasRecordedAnswer(run) ? undefined : callLoopHook(run, 'beforeTurn')
}

/** Completes a turn after the model's answer. Returns `undefined` if the loop continues. */
function completeTurn(
  run: Run,
  prepared: PreparedAgent,
  step: ModelAnswer,
): MaybePromise<RunEnd | undefined> {
  appendMessage(run, step.message)
  if (step.calls.length === 0) return whenKnown(endTurn(run, step), (ended) => ended ?? endWithAnswer(step))
  if (run.turn === run.definition.limits.maxTurns)
    return takeResults(run, step, refuseCalls(run, run.turn, step.calls))
  return runCalls(run, prepared, run.turn, step.calls).then((results) => takeResults(run, step, results))
}

function takeResults(run: Run, step: ModelAnswer, results: TurnResults): MaybePromise<RunEnd | undefined> {
  appendMessage(run, results.message)
  for (const message of results.merge) appendMessage(run, message)
  return whenKnown(endTurn(run, step), (ended) => ended ?? endAfterInvalidCalls(run, results))
}

/** Number of times in a row that a model may correct a turn with only invalid calls. */
const MAX_REPAIRS = 2

/** Ends the run if the model got all its calls wrong too often in a row. */
function endAfterInvalidCalls(run: Run, { unusable }: TurnResults): RunEnd | undefined {
  run.unusableTurns = unusable === undefined ? 0 : run.unusableTurns + 1
  if (unusable === undefined || run.unusableTurns <= MAX_REPAIRS) return undefined
  const message = `The model got its tool calls wrong ${run.unusableTurns} times in a row. ${unusable.message}`
  return endWithFailure(run, { ...unusable, message })
}

/** Ends the turn. Returns the end of the run if it was cancelled or the hook failed. */
function endTurn(
  run: Run,
  { finishReason, calls }: Pick<ModelAnswer, 'finishReason' | 'calls'>,
): MaybePromise<RunEnd | undefined> {
  const toolCalls = calls.length
  if (hasListeners(run))
    appendEventDraft(run, { ...envelopeOf(run, 'turn-end'), turn: run.turn, finishReason, toolCalls })
  return whenKnown(callLoopHook(run, 'afterTurn'), (broken) => {
    if (run.cancellation.reason !== undefined) return endOfStoppedRun(run)
    return broken === undefined ? undefined : endWithFailure(run, broken)
  })
}

/** Creates the end of a run whose model answered without calling a tool. */
function endWithAnswer({ text, finishReason, lowered }: ModelAnswer): RunEnd {
  if (finishReason !== 'length') return { outcome: 'completed', text }
  const cut = lowered ?? failure('model_output_cut', 'The answer was cut off by the limit on output tokens.')
  return { outcome: 'partial', text, failure: cut }
}

/**
 * Handles a turn without an answer. If the budget refused it, the amount reserved for a closing turn may
 * still pay for one without tools.
 */
async function handleFailedTurn(run: Run, prepared: PreparedAgent, reason: Failure): Promise<RunEnd> {
  if (run.cancellation.reason !== undefined) return endOfStoppedRun(run)
  if (reason.code !== 'budget_exceeded' || prepared.tools.size === 0) return endWithFailure(run, reason)
  return closeWithoutTools(run, prepared, reason)
}

/** Makes one more model call, without tools, so that the work is not lost when a limit is reached. */
async function closeWithoutTools(run: Run, prepared: PreparedAgent, limit: Failure): Promise<RunEnd> {
  const step = await askModel(run, prepared, { mayCall: false })
  if (run.cancellation.reason !== undefined) return endOfStoppedRun(run)
  if ('failure' in step || step.text === '') return endWithFailure(run, limit)
  appendMessage(run, step.message)
  appendEvent(run, 'turn-end', { turn: run.turn, finishReason: step.finishReason, toolCalls: 0 })
  return { outcome: 'partial', text: step.text, failure: limit }
}

function endWithFailure(run: Run, reason: Failure): RunEnd {
  return { outcome: outcomeOf(reason), text: run.lastText, failure: reason }
}
