import { failure, outcomeOf, type Failure, type MaybePromise, type PreparedAgent } from '@troupe/schema'
import { askModel } from '../context/ask-model.ts'
import { callLoopHook } from './loop-hooks.ts'
import type { ModelAnswer } from '../model/model-step.ts'
import { isRecalled } from '../journal/recall-answer.ts'
import { repairAnswer } from '../output/repair-answer.ts'
import { headOf, isHeard, keepMessage, write, writeEvent, type Run } from './run.ts'
import { stopped, type RunEnd } from './run-end.ts'
import { refuseCalls, runCalls, type TurnResults } from '../calls/run-calls.ts'
import { whenKnown } from '../time/when-known.ts'

/**
 * The loop (A10): the model speaks, its calls run, the results go back, until it answers without calls.
 * `maxTurns` turns may call tools; a model that then still asks for tools gets one closing turn without them.
 */
export function runTurns(run: Run, prepared: PreparedAgent): Promise<RunEnd> {
  const ending = takeTurns(run, prepared)
  return run.output.schema === undefined ? ending : ending.then((end) => repairAnswer(run, prepared, end))
}

/** Here a run waits for its model: what comes before and after in a turn is in functions of their own. */
async function takeTurns(run: Run, prepared: PreparedAgent): Promise<RunEnd> {
  const { maxTurns } = run.definition.limits
  for (let turn = 1; turn <= maxTurns; turn++) {
    // a result that was cut in the turn before brings a tool to read on in it
    const offered = run.prepared ?? prepared
    const starting = startTurn(run, turn)
    const broken = starting === undefined ? undefined : await starting
    if (broken !== undefined) return failed(run, broken)
    const step = await askModel(run, offered, { mayCall: true })
    const end = await ('failure' in step
      ? giveUp(run, offered, step.failure)
      : takeAnswer(run, offered, step))
    if (end !== undefined) return end
  }
  const limit = failure('turns_exceeded', `The agent used up its ${maxTurns} turns before it had finished.`)
  run.turn = maxTurns + 1
  write(run, 'turn-start', { turn: run.turn })
  return closeWithoutTools(run, prepared, limit)
}

/** What its hook found wrong. */
function startTurn(run: Run, turn: number): ReturnType<typeof callLoopHook> {
  run.turn = turn
  if (isHeard(run)) writeEvent(run, { ...headOf(run, 'turn-start'), turn })
  // its hooks have seen a turn that the model has answered
  return isRecalled(run) ? undefined : callLoopHook(run, 'beforeTurn')
}

/** The rest of a turn that the model has answered; undefined: the conversation goes on. */
function takeAnswer(run: Run, prepared: PreparedAgent, step: ModelAnswer): MaybePromise<RunEnd | undefined> {
  keepMessage(run, step.message)
  if (step.calls.length === 0) return whenKnown(endTurn(run, step), (ended) => ended ?? answered(step))
  if (run.turn === run.definition.limits.maxTurns)
    return takeResults(run, step, refuseCalls(run, run.turn, step.calls))
  return runCalls(run, prepared, run.turn, step.calls).then((results) => takeResults(run, step, results))
}

function takeResults(run: Run, step: ModelAnswer, results: TurnResults): MaybePromise<RunEnd | undefined> {
  keepMessage(run, results.message)
  for (const message of results.merge) keepMessage(run, message)
  return whenKnown(endTurn(run, step), (ended) => ended ?? givenUp(run, results))
}

/** Turns in a row that a model may get all its calls wrong and be asked again. */
const MAX_REPAIRS = 2

/** A model that cannot call its tools does not learn it by being asked for ever. */
function givenUp(run: Run, { unusable }: TurnResults): RunEnd | undefined {
  run.unusableTurns = unusable === undefined ? 0 : run.unusableTurns + 1
  if (unusable === undefined || run.unusableTurns <= MAX_REPAIRS) return undefined
  const message = `The model got its tool calls wrong ${run.unusableTurns} times in a row. ${unusable.message}`
  return failed(run, { ...unusable, message })
}

/** Says that the turn is over; a run that was stopped meanwhile ends here. */
function endTurn(
  run: Run,
  { finishReason, calls }: Pick<ModelAnswer, 'finishReason' | 'calls'>,
): MaybePromise<RunEnd | undefined> {
  const toolCalls = calls.length
  if (isHeard(run)) writeEvent(run, { ...headOf(run, 'turn-end'), turn: run.turn, finishReason, toolCalls })
  return whenKnown(callLoopHook(run, 'afterTurn'), (broken) => {
    if (run.stop.reason !== undefined) return stopped(run)
    return broken === undefined ? undefined : failed(run, broken)
  })
}

/** The end of a run whose model answered without calling a tool. */
function answered({ text, finishReason, lowered }: ModelAnswer): RunEnd {
  if (finishReason !== 'length') return { outcome: 'completed', text }
  const cut = lowered ?? failure('model_output_cut', 'The answer was cut off by the limit on output tokens.')
  return { outcome: 'partial', text, failure: cut }
}

/** A turn without an answer. One that the budget refused may still be paid for without tools: that is what was set aside. */
async function giveUp(run: Run, prepared: PreparedAgent, reason: Failure): Promise<RunEnd> {
  if (run.stop.reason !== undefined) return stopped(run)
  if (reason.code !== 'budget_exceeded' || prepared.tools.size === 0) return failed(run, reason)
  return closeWithoutTools(run, prepared, reason)
}

/** A limit is reached: one more model call, without tools, so that the work so far is not lost. */
async function closeWithoutTools(run: Run, prepared: PreparedAgent, limit: Failure): Promise<RunEnd> {
  const step = await askModel(run, prepared, { mayCall: false })
  if (run.stop.reason !== undefined) return stopped(run)
  if ('failure' in step || step.text === '') return failed(run, limit)
  keepMessage(run, step.message)
  write(run, 'turn-end', { turn: run.turn, finishReason: step.finishReason, toolCalls: 0 })
  return { outcome: 'partial', text: step.text, failure: limit }
}

function failed(run: Run, reason: Failure): RunEnd {
  return { outcome: outcomeOf(reason), text: run.lastText, failure: reason }
}
