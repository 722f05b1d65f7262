import {
  failure,
  outcomeOf,
  resultText,
  type Failure,
  userMessage,
  type Message,
  type OutputContract,
  type OutputFile,
} from '@troupe/schema'
import { type PreparedAgent, inputMessage, type Compose, type ComposeContext } from '@troupe/schema/ports'
import { askModel, recordedAnswer, type ModelAnswer, type PreparedRun } from '../model/ask-model.ts'
import { callLoopHook } from '../model/loop-hooks.ts'
import { PAUSED } from '../model/read-answer.ts'
import { endOfStoppedRun, endWithFailure, type RunEnd } from '../run/run.ts'
import { refuseCalls, runCalls, type TurnAnswer, type TurnResults } from '../tools/run-calls.ts'
import { guardEnd } from '../model/guard-answer.ts'
import { outputGuards } from '../model/call-model.ts'
import { toOutput } from '../model/output.ts'
import { filesOfAnswer, filesOfContent } from '../model/output-files.ts'
import { changeCalls, changeResults } from './change-calls.ts'
import { createTurnContext, type LoopRun } from './loop-run.ts'

/**
 * Runs the agent loop until the model answers without calling tools. At most `maxTurns` turns may call tools.
 * If the last of them does, one closing turn without tools follows.
 */
export async function runTurns(run: LoopRun): Promise<RunEnd> {
  const end = await repairAnswer(run, await takeTurns(run))
  return run.prepared.guards === undefined ? end : guardEnd(run, end)
}

/** Runs the turns of the agent without checking its answer. */
async function takeTurns(run: LoopRun): Promise<RunEnd> {
  const { maxTurns } = run.definition.limits
  let unusableTurns = 0
  for (let turn = 1; turn <= maxTurns; turn++) {
    const hookFailure = await startTurn(run)
    if (hookFailure !== undefined) return endWithFailure(run, hookFailure)
    // a result that was truncated in the previous turn adds a tool to read on
    const prepared = run.truncated.agent
    const answer = await askModel(run, prepared, { mayCall: true })
    if ('failure' in answer) return handleFailedTurn(run, prepared, answer.failure)
    const step = await changeCalls(run, answer)
    if ('failure' in step) return endOfHook(run, step.failure)
    run.conversation.append(step.message)
    const results = await callTools(run, prepared, { ...step, isLast: turn === maxTurns })
    if (results !== undefined && 'failure' in results) return endOfHook(run, results.failure)
    const end = await endTurn(run, step)
    if (end !== undefined) return end
    // the provider continues its own tools if it gets the answer back
    if (results === undefined && step.finishReason === PAUSED) continue
    if (results === undefined) return endWithAnswer(step)
    if (results.answer !== undefined) return endWithResult(results.answer)
    unusableTurns = results.unusable === undefined ? 0 : unusableTurns + 1
    if (results.unusable !== undefined && unusableTurns > MAX_REPAIRS)
      return endAfterInvalidCalls(run, results.unusable, unusableTurns)
  }
  const limit = failure('turns_exceeded', `The agent used all of its ${maxTurns} turns without finishing.`)
  run.log.appendEvent('turn-start', { turn: run.progress.startTurn() })
  return closeWithoutTools(run, run.prepared, limit)
}

/** Creates the end of a run whose hook failed or was interrupted. */
function endOfHook(run: LoopRun, reason: Failure): RunEnd {
  return run.cancellation.reason === undefined ? endWithFailure(run, reason) : endOfStoppedRun(run)
}

/** Starts a turn. Returns the failure of its hook, if there is one. */
async function startTurn(run: LoopRun): Promise<Failure | undefined> {
  const turn = run.progress.startTurn()
  if (run.log.hasListeners) run.log.appendDraft({ ...run.log.envelope('turn-start'), turn })
  // the hooks already saw this turn before the interruption
  return recordedAnswer(run) === undefined ? callLoopHook(run, 'beforeTurn') : undefined
}

/**
 * Runs the calls of an answer and appends their results. Returns `undefined` if it has none, and the failure of
 * a hook that was to change the results.
 */
async function callTools(
  run: LoopRun,
  prepared: PreparedAgent,
  { calls, isLast }: ModelAnswer & { readonly isLast: boolean },
): Promise<TurnResults | { readonly failure: Failure } | undefined> {
  if (calls.length === 0) return undefined
  const settled = isLast
    ? refuseCalls(run, prepared, calls)
    : await runCalls(run, prepared, calls, createTurnContext(run))
  const { failure: hookFailure, ...results } = await changeResults(run, settled)
  // the conversation needs a result for each call, also if the hook failed
  run.conversation.append(results.message)
  for (const message of results.merge) run.conversation.append(message)
  return hookFailure === undefined ? results : { failure: hookFailure }
}

/** Number of times in a row that a model may correct a turn with only invalid calls. */
const MAX_REPAIRS = 2

/** Ends the run if the model got all its calls wrong too often in a row. */
function endAfterInvalidCalls(run: LoopRun, unusable: Failure, times: number): RunEnd {
  const message = `The model made only invalid tool calls ${times} times in a row. ${unusable.message}`
  return endWithFailure(run, { ...unusable, message })
}

/** Ends the turn. Returns the end of the run if it was cancelled or the hook failed. */
async function endTurn(run: LoopRun, { finishReason, calls }: ModelAnswer): Promise<RunEnd | undefined> {
  const { turn } = run.progress
  const toolCalls = calls.length
  if (run.log.hasListeners)
    run.log.appendDraft({ ...run.log.envelope('turn-end'), turn, finishReason, toolCalls })
  const hookFailure = await callLoopHook(run, 'afterTurn')
  if (run.cancellation.reason !== undefined) return endOfStoppedRun(run)
  return hookFailure === undefined ? undefined : endWithFailure(run, hookFailure)
}

/** Creates the end of a run whose model answered without calling a tool. */
function endWithAnswer({ text, citations, finishReason, lowered, message }: ModelAnswer): RunEnd {
  const answer = { text, citations, ...filesMember(filesOfAnswer(message)) }
  if (finishReason !== 'length') return { outcome: 'completed', ...answer }
  const cut = lowered ?? failure('model_output_cut', 'The answer was cut off by the limit on output tokens.')
  return { outcome: 'partial', ...answer, failure: cut }
}

/** Creates the end of a run whose answer is the result of a tool, such as that of another agent. */
function endWithResult(result: TurnAnswer): RunEnd {
  const { outcome, content, failure: reason } = result
  return {
    outcome,
    text: resultText(result),
    ...filesMember(filesOfContent(content)),
    ...(reason === undefined ? {} : { failure: reason }),
  }
}

function filesMember(files: readonly OutputFile[]): Pick<RunEnd, 'files'> {
  return files.length === 0 ? {} : { files }
}

/**
 * Handles a turn without an answer. If the budget refused it, the amount reserved for a closing turn may
 * still pay for one without tools.
 */
async function handleFailedTurn(run: LoopRun, prepared: PreparedAgent, reason: Failure): Promise<RunEnd> {
  if (run.cancellation.reason !== undefined) return endOfStoppedRun(run)
  if (reason.code !== 'budget_exceeded' || prepared.tools.size === 0) return endWithFailure(run, reason)
  return closeWithoutTools(run, prepared, reason)
}

/** Makes one more model call, without tools, so that the work is not lost when a limit is reached. */
async function closeWithoutTools(run: LoopRun, prepared: PreparedAgent, limit: Failure): Promise<RunEnd> {
  const step = await askModel(run, prepared, { mayCall: false })
  if (run.cancellation.reason !== undefined) return endOfStoppedRun(run)
  if ('failure' in step && isDenial(step.failure)) return endWithFailure(run, step.failure)
  if ('failure' in step || step.text === '') return endWithFailure(run, limit)
  run.conversation.append(step.message)
  run.log.appendEvent('turn-end', { turn: run.progress.turn, finishReason: step.finishReason, toolCalls: 0 })
  return { outcome: 'partial', text: step.text, citations: step.citations, failure: limit }
}

/**
 * Gives the model one more turn, with the problem as input, if its answer does not match the schema. The turn
 * may not call tools. If the new answer does not match either, the run fails.
 */
async function repairAnswer(run: PreparedRun, end: RunEnd): Promise<RunEnd> {
  if (run.output.schema === undefined || run.cancellation.reason !== undefined) return end
  const { failure: mismatch } = toOutput(run, end, run.prepared)
  if (mismatch === undefined) return end
  const { code, message } = mismatch
  const request = requestFor(mismatch, end)
  const step = { key: `ask:${run.progress.turn + 1}`, value: request }
  run.log.appendEvent('warning', { code, message: `${message} The model gets one retry.` }, { step })
  const turn = run.progress.startTurn()
  run.log.appendEvent('turn-start', { turn })
  run.conversation.append(userMessage(request))
  const answer = await askModel(run, run.prepared, { mayCall: false })
  if (run.cancellation.reason !== undefined) return endOfStoppedRun(run)
  if ('failure' in answer && isDenial(answer.failure)) return endWithFailure(run, answer.failure)
  // keep the first answer: its mismatch is the failure to report
  if ('failure' in answer) return end
  run.conversation.append(answer.message)
  run.log.appendEvent('turn-end', { turn, finishReason: answer.finishReason, toolCalls: 0 })
  const { text, citations } = answer
  return { ...(answer.finishReason === 'length' ? end : withoutCut(end)), text, citations }
}

function requestFor(mismatch: Failure, end: RunEnd): string {
  const wrong = isCut(end)
    ? 'Your answer was cut off before it was complete. Make it shorter.'
    : mismatch.message
  return `${wrong}\nReply again with the complete answer as JSON that matches the schema, and nothing else.`
}

function isDenial(reason: Failure): boolean {
  return outcomeOf(reason) === 'denied'
}

/** Removes the failure of a cut-off answer, because the new answer is complete. */
function withoutCut(end: RunEnd): RunEnd {
  return isCut(end) ? { outcome: 'completed', text: end.text } : end
}

function isCut({ failure }: RunEnd): boolean {
  return failure?.code === 'model_output_cut'
}

const TEXT: OutputContract = Object.freeze({ format: 'text' })

/**
 * Runs a composition in place of the loop, or around it. Its internal model calls stay out of the conversation, which
 * contains only the input and the answer, so that a session can continue from there. An answer that does not
 * match the schema of the agent is repaired by its model, if it has one.
 */
export async function runComposition(run: LoopRun, compose: Compose): Promise<RunEnd> {
  const end = await compose({
    definition: run.definition,
    input: run.request.input,
    run: createTurnContext(run, run.conversation.historyLength),
    nextStep: () => run.progress.startTurn(),
    ask: (prompt, options = {}) => ask(run, { prompt, output: options.output ?? TEXT }),
    answer: (input) => {
      run.conversation.append(inputMessage(input, run.request.attachments))
      return takeTurns(run)
    },
    savePartialText: (text) => {
      // a run that ends early cannot check a text of other agents any more
      if (outputGuards(run).length === 0) run.progress.lastText = text
    },
  })
  if (run.cancellation.reason !== undefined) {
    setConversation(run, '')
    return endOfStoppedRun(run)
  }
  setConversation(run, end.text)
  const repaired = run.prepared.models.length === 0 ? end : await repairAnswer(run, end)
  const guarded = run.prepared.guards === undefined ? repaired : await guardEnd(run, repaired)
  if (guarded !== end) setConversation(run, guarded.text)
  return guarded
}

/** Replaces the conversation of a composition by its input and answer. */
function setConversation(run: LoopRun, text: string): void {
  run.conversation.reset()
  run.conversation.append(userMessage(run.request.input))
  if (text === '') return
  const answer: Message = { role: 'assistant', content: [{ type: 'text', text }] }
  run.conversation.append(answer)
}

async function ask(
  run: LoopRun,
  question: { readonly prompt: string; readonly output: OutputContract },
): ReturnType<ComposeContext['ask']> {
  const lastText = run.progress.lastText
  const turn = run.progress.startTurn()
  run.log.appendEvent('turn-start', { turn })
  run.conversation.append(userMessage(question.prompt))
  const step = await askModel(run, run.prepared, { mayCall: false, output: question.output })
  if ('failure' in step) return { failure: run.cancellation.reason ?? step.failure }
  run.conversation.append(step.message)
  // an internal plan or choice must not become the text of a run that ends early
  run.progress.lastText = lastText
  run.log.appendEvent('turn-end', { turn, finishReason: step.finishReason, toolCalls: 0 })
  return { text: step.text }
}
