import { failure, outcomeOf, type Failure, type PreparedAgent } from '@troupe/schema'
import { askModel } from './context/ask-model.ts'
import { callLoopHook } from './loop-hooks.ts'
import type { ModelAnswer } from './model-step.ts'
import { repairAnswer } from './repair-answer.ts'
import { keepMessage, write, type Run } from './run.ts'
import { stopped, type RunEnd } from './run-end.ts'
import { refuseCalls, runCalls, type TurnResults } from './run-calls.ts'

/**
 * The loop (A10): the model speaks, its calls run, the results go back, until it answers without calls.
 * `maxTurns` turns may call tools; a model that then still asks for tools gets one closing turn without them.
 */
export async function runTurns(run: Run, prepared: PreparedAgent): Promise<RunEnd> {
  const end = await takeTurns(run, prepared)
  return repairAnswer(run, prepared, end)
}

async function takeTurns(run: Run, prepared: PreparedAgent): Promise<RunEnd> {
  const { maxTurns } = run.definition.limits
  for (let turn = 1; turn <= maxTurns; turn++) {
    // a result that was cut in the turn before brings a tool to read on in it
    const end = await runTurn(run, run.prepared ?? prepared, turn)
    if (end !== undefined) return end
  }
  const limit = failure('turns_exceeded', `The agent used up its ${maxTurns} turns before it had finished.`)
  run.turn = maxTurns + 1
  write(run, 'turn-start', { turn: run.turn })
  return closeWithoutTools(run, prepared, limit)
}

/** One turn; undefined: the conversation goes on. */
async function runTurn(run: Run, prepared: PreparedAgent, turn: number): Promise<RunEnd | undefined> {
  run.turn = turn
  write(run, 'turn-start', { turn })
  // its hooks have seen a turn that the model has answered
  const isPast = run.journal?.step(`llm:${turn}`) !== undefined
  const broken = isPast ? undefined : await callLoopHook(run, 'beforeTurn')
  if (broken !== undefined) return failed(run, broken)
  const step = await askModel(run, prepared, { mayCall: true })
  if ('failure' in step) return giveUp(run, prepared, step.failure)
  keepMessage(run, step.message)
  if (step.calls.length === 0) return answered(run, turn, step)
  const isLast = turn === run.definition.limits.maxTurns
  const results = isLast
    ? refuseCalls(run, turn, step.calls)
    : await runCalls(run, prepared, turn, step.calls)
  keepMessage(run, results.message)
  for (const message of results.merge) keepMessage(run, message)
  const ended = await endTurn(run, turn, step)
  return ended ?? givenUp(run, results)
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
async function endTurn(run: Run, turn: number, step: ModelAnswer): Promise<RunEnd | undefined> {
  write(run, 'turn-end', { turn, finishReason: step.finishReason, toolCalls: step.calls.length })
  const broken = await callLoopHook(run, 'afterTurn')
  if (run.stop.reason !== undefined) return stopped(run)
  return broken === undefined ? undefined : failed(run, broken)
}

/** The end of a run whose model answered without calling a tool. */
async function answered(run: Run, turn: number, step: ModelAnswer): Promise<RunEnd> {
  const ended = await endTurn(run, turn, step)
  if (ended !== undefined) return ended
  if (step.finishReason !== 'length') return { outcome: 'completed', text: step.text }
  const cut =
    step.lowered ?? failure('model_output_cut', 'The answer was cut off by the limit on output tokens.')
  return { outcome: 'partial', text: step.text, failure: cut }
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
