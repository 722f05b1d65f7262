import {
  failure,
  hasAnswer,
  toFailure,
  TroupeError,
  type AgentDefinition,
  type EventPayloads,
  type Failure,
  type Json,
  type Message,
  type Citation,
  type OutputFile,
  type ToolDefinition,
} from '@troupe/schema'
import type { PreparedAgent, RunControl, RunRequest, RunResult, RunTreeContext } from '@troupe/schema/ports'
import { createJournal, type Journal, runTime, type RunTime } from '../log/resume-state.ts'
import { pastResult, resultFromEnd } from '../log/past-conversation.ts'
import { appendWarning, type SessionWarning } from '../log/problems.ts'
import { endAbandoned, restoreAccount } from '../log/restore-account.ts'
import { createLoggedRun, type LoggedRun } from '../log/run-log.ts'
import { createLoopRun, type LoopRun } from '../loop/loop-run.ts'
import { runComposition, runTurns } from '../loop/run-turns.ts'
import { callLoopHook } from '../model/loop-hooks.ts'
import { toOutput } from '../model/output.ts'
import { limitFiles } from '../model/output-files.ts'
import { addClientTools, requireChosenTool } from '../tools/client-tools.ts'
import { createCancellation, raceOwnCancellation } from '../run/cancellation.ts'
import { CLEANUP_MS, RELEASE_MS, withTimeout } from '../run/clock.ts'
import { createRun, endOfStoppedRun, endWithFailure, redacted, type RunEnd } from '../run/run.ts'
import { guardInputByAgents, guardRequest } from './guard-input.ts'

/**
 * Input of {@link runSession}. `prepare` builds everything that does not depend on the run. An error that it
 * throws is the failure of the run, its `signal` aborts if the run ends first, and `warn` appends a `warning`
 * event.
 */
export interface SessionInput {
  readonly definition: AgentDefinition
  prepare(
    stop: { readonly signal: AbortSignal },
    warn: (warning: SessionWarning) => void,
  ): Promise<PreparedAgent>
  readonly request: RunRequest
  readonly root: RunTreeContext
  readonly control: RunControl
}

/**
 * Runs one agent in isolation, from `run-start` to exactly one `run-end`. Never rejects. Work that was
 * abandoned has been cancelled by then.
 */
export async function runSession(input: SessionInput): Promise<RunResult> {
  const journal = input.root.resumeState === undefined ? undefined : await openJournal(input)
  const past = journal && pastResult(journal, input.request)
  if (past !== undefined) return past
  const startedAt = input.root.clock.monotonic()
  let prepared: PreparedAgent | undefined
  let loopRun: LoopRun | undefined
  const describeWait = (): string =>
    prepared === undefined ? describeStartingServers(input.definition) : '.'
  const run = createLoggedRun(createRun({ ...input, describeWait }), journal)
  restoreAccount(run)
  appendStart(run)
  let end: RunEnd
  try {
    prepared = await prepareOrCancel(run, input)
    const request = prepared?.guards === undefined ? run.request : await guardRequest(run, prepared)
    if (prepared !== undefined && request !== undefined && !('failure' in request)) {
      const guarded = request === run.request ? run : { ...run, request }
      const filled = await fillPrompt(guarded, prepared)
      const permitted = removeToolsNeedingApproval(run, addClientTools(run, filled))
      requireChosenTool(run, permitted)
      loopRun = createLoopRun(guarded, permitted)
    }
    end = loopRun === undefined ? endBeforeLoop(run, prepared, request) : await runLoop(loopRun)
  } catch (thrown) {
    end = { outcome: 'failed', text: run.progress.lastText, failure: toFailure(thrown) }
  }
  end = await finish(run, { prepared, loopRun }, end)
  const endPayload = appendEnd(run, loopRun, { end, time: runTime(run, startedAt) })
  run.log.hasEnded = true
  loopRun?.truncated.release()
  // a child does not wait, because this would create its signal
  const isRoot = input.request.parentRunId === undefined
  const storeFailure = isRoot ? await run.log.waitUntilEndPersisted(input.control) : undefined
  return toResult(
    run,
    loopRun,
    storeFailure === undefined ? endPayload : { ...endPayload, outcome: 'failed', error: storeFailure },
  )
}

async function openJournal({ request, root }: SessionInput): Promise<Journal | undefined> {
  const past = await root.resumeState?.readRun(request.runId)
  return past === undefined ? undefined : createJournal(past, root)
}

/** Returns the end of a timeout message: the MCP servers that have not started, if there are any. */
function describeStartingServers({ servers, mcpServers }: AgentDefinition): string {
  const names = new Set([...servers, ...Object.keys(mcpServers)])
  if (names.size === 0) return '.'
  return `: it was still waiting for its MCP servers to start (${[...names].join(', ')}).`
}

function appendStart(run: LoggedRun): void {
  if (!run.log.hasListeners) return
  const { request, definition } = run
  run.log.appendEvent(
    'run-start',
    {
      input: request.input,
      model: definition.model,
      definition: { name: definition.name, digest: definition.digest, version: definition.version },
      sessionId: request.sessionId,
      maxInstances: definition.display.maxInstances,
    },
    { callId: request.site?.callId, step: { key: 'begin', value: toStoredRequest(request) } },
  )
}

/** Returns a request as it is stored, without a history that is stored with the run that this one continues. */
export function toStoredRequest(request: RunRequest): Json {
  const { history: _, ...rest } = request
  return (request.continues === undefined ? request : rest) as unknown as Json
}

/** Creates the end of a run that was stopped, or whose input was denied, before its first turn. */
function endBeforeLoop(
  run: LoggedRun,
  prepared: PreparedAgent | undefined,
  request: RunRequest | { readonly failure: Failure } | undefined,
): RunEnd {
  if (prepared === undefined || request === undefined || !('failure' in request)) return endOfStoppedRun(run)
  if (run.cancellation.reason !== undefined) return endOfStoppedRun(run)
  // a replay needs the agent, because its guards deny the input again
  run.root.recording?.onSessionReady(run.request.runId, prepared)
  return endWithFailure(run, request.failure)
}

/** Runs the loop of model and tools, or the composition of the agent. */
function runLoop(run: LoopRun): Promise<RunEnd> {
  const { prepared } = run
  run.root.recording?.onSessionReady(run.request.runId, prepared)
  return prepared.guards === undefined ? startLoop(run) : runGuardedLoop(run)
}

/** Runs the loop after the agents among the input guards have let the input pass. */
async function runGuardedLoop(run: LoopRun): Promise<RunEnd> {
  const denied = await guardInputByAgents(run)
  if (denied === undefined) return startLoop(run)
  return run.cancellation.reason === undefined ? endWithFailure(run, denied) : endOfStoppedRun(run)
}

function startLoop(run: LoopRun): Promise<RunEnd> {
  const { prepared } = run
  return prepared.compose === undefined ? runTurns(run) : runComposition(run, prepared.compose)
}

/** Prepares the agent. If the run is cancelled first, returns `undefined` and releases the agent later. */
async function prepareOrCancel(run: LoggedRun, input: SessionInput): Promise<PreparedAgent | undefined> {
  if (run.cancellation.reason !== undefined) return undefined
  const stop = createCancellation(run.cancellation)
  const warn = (warning: SessionWarning): void => appendWarning(run, warning, run.request.site?.callId)
  try {
    const preparing = input.prepare(stop, warn)
    const prepared = await raceOwnCancellation(preparing, stop)
    if (prepared === undefined) releaseLate(preparing)
    return prepared
  } finally {
    stop.detach()
  }
}

function releaseLate(preparing: Promise<PreparedAgent>): void {
  preparing.then(
    (late) => late.release(),
    () => {
      // the run has already ended, so this failure changes nothing
    },
  )
}

const ENDED = failure('run_cancelled', 'The run has ended.')

/** Calls the last hook, cancels everything that is left, and releases the agent. */
async function finish(
  run: LoggedRun,
  {
    prepared,
    loopRun,
  }: { readonly prepared: PreparedAgent | undefined; readonly loopRun: LoopRun | undefined },
  end: RunEnd,
): Promise<RunEnd> {
  const { reason } = run.cancellation
  // the caller of a child has its own time limit
  const mayTakeLong = reason === undefined && run.request.parentRunId === undefined
  // a suspended run has not ended
  const isSuspended = reason?.code === 'run_waiting'
  const hookFailure =
    loopRun === undefined || isSuspended ? undefined : await callLoopHook(loopRun, 'onEnd', end.outcome)
  run.deadline.clear()
  run.cancellation.cancel(ENDED)
  run.cancellation.detach()
  // each is also awaited by its own call, which handles the result
  await Promise.all(Array.from(loopRun?.children.running ?? [], (child) => child.end))
  loopRun?.budget?.close()
  try {
    const releasing = Promise.resolve(prepared?.release())
    await withTimeout(releasing, mayTakeLong ? RELEASE_MS : CLEANUP_MS, run.root.clock)
  } catch (thrown) {
    run.log.appendEvent('warning', { code: 'release_failed', message: toFailure(thrown).message })
  }
  return hookFailure === undefined || end.failure !== undefined
    ? end
    : { ...end, outcome: 'failed', failure: hookFailure }
}

/** Appends the end of the run and returns it. */
function appendEnd(
  run: LoggedRun,
  loopRun: LoopRun | undefined,
  { end, time }: { readonly end: RunEnd; readonly time: RunTime },
): EventPayloads['run-end'] {
  const { account, request } = run
  const { output: answer, failure: mismatch } = toOutput(run, end, loopRun?.prepared)
  const files = outputFiles(run, end)
  const citations = outputCitations(run, end, answer)
  const output = {
    ...answer,
    ...(files.length === 0 ? {} : { files }),
    ...(citations.length === 0 ? {} : { citations }),
  }
  const reason = redacted(run, mismatch ?? end.failure)
  const endPayload: EventPayloads['run-end'] = {
    outcome: mismatch === undefined ? end.outcome : 'failed',
    output,
    usage: account.total(),
    byAgent: account.byAgent(),
    unpriced: account.unpriced(),
    ...account.problems(),
    ...time,
    ...(reason === undefined ? {} : { error: reason }),
  }
  if (request.parentRunId === undefined && run.log.isPersistent) endAbandoned(run, reason)
  run.log.appendEvent('run-end', endPayload, {
    callId: request.site?.callId,
    step: { key: 'end', value: endPayload as unknown as Json },
  })
  return endPayload
}

/** Returns the files of an answer. Warns if there are more than an answer may have. */
function outputFiles(run: LoggedRun, { outcome, files: own = [] }: RunEnd): readonly OutputFile[] {
  if (!hasAnswer(outcome) || own.length + run.progress.files.length === 0) return []
  const { files, omitted } = limitFiles([...own, ...run.progress.files])
  if (omitted > 0)
    appendWarning(run, {
      weakens: true,
      code: 'answer_files_left_out',
      message: `The answer has too many or too large files; ${omitted} are left out.`,
    })
  return files
}

/** Returns the citations of an answer, without their places if its text has changed. */
function outputCitations(
  run: LoggedRun,
  { outcome, text, citations = [] }: RunEnd,
  { text: shown }: EventPayloads['run-end']['output'],
): readonly Citation[] {
  if (!hasAnswer(outcome)) return []
  const visible = redacted(run, citations)
  return shown === text
    ? visible
    : visible.map(({ startIndex: _start, endIndex: _end, ...citation }) => citation)
}

function toResult(
  run: LoggedRun,
  loopRun: LoopRun | undefined,
  endPayload: EventPayloads['run-end'],
): RunResult {
  const { runId, agent } = run.request
  return { runId, agent: agent.name, ...resultFromEnd(endPayload), messages: messagesOfRun(loopRun) }
}

/** Returns the messages of this run. Redacts those of a child, as its parent may merge them. */
function messagesOfRun(run: LoopRun | undefined): readonly Message[] {
  if (run === undefined) return []
  const { own } = run.conversation
  return run.request.parentRunId === undefined ? own : redacted(run, own)
}

/** Removes tools that need an approval if the run is headless, and warns if none are left. */
function removeToolsNeedingApproval(run: LoggedRun, prepared: PreparedAgent): PreparedAgent {
  if (run.root.headless !== true) return prepared
  const { tools, definition } = prepared
  const remaining = [...tools].filter(([, tool]) => prepared.permission.ofTool(tool) === 'allow')
  if (remaining.length === tools.size) return prepared
  const withheld = [...tools].flatMap(([wireName, tool]) =>
    prepared.permission.ofTool(tool) === 'ask' ? [[wireName, tool.name] as const] : [],
  )
  if (remaining.length === 0) warnNoToolsLeft(run, [...tools.values()])
  return {
    ...prepared,
    tools: new Map(remaining),
    withheldTools: new Map(withheld),
    system: buildSystemPrompt(
      definition,
      remaining.map(([, tool]) => tool),
    ),
  }
}

/** Fills in the prompt of an agent whose prompt is a template. Throws if a value is missing. */
async function fillPrompt({ request }: LoggedRun, prepared: PreparedAgent): Promise<PreparedAgent> {
  const { definition, tools } = prepared
  if (definition.input.template === undefined) return prepared
  // Loaded on demand, because few agents have templates.
  const { fillInputTemplate } = await import('@troupe/tools/input-template')
  const { values = {} } = request
  const { schema } = definition.input
  const instruction = fillInputTemplate(definition.instruction, { values, schema })
  if (typeof instruction !== 'string') throw new TroupeError(instruction)
  const filled = { ...definition, instruction }
  return { ...prepared, definition: filled, system: buildSystemPrompt(filled, tools.values()) }
}

function warnNoToolsLeft(run: LoggedRun, tools: readonly ToolDefinition[]): void {
  const names = tools.map(({ name }) => name).join(', ')
  appendWarning(run, {
    weakens: true,
    code: 'headless_no_tools',
    message: `${run.request.agent.name} has no tools left: each of them requires approval, and this run cannot ask for it. Removed: ${names}.`,
  })
}

/**
 * Builds the system message of an agent: its instruction, then the instructions of its tools. Equal input
 * gives equal bytes.
 */
export function buildSystemPrompt(
  definition: Pick<AgentDefinition, 'instruction'>,
  tools: Iterable<ToolDefinition>,
): string {
  const parts = [definition.instruction.trim()]
  for (const { instructions } of tools) {
    const text = instructions?.trim()
    if (text !== undefined && text !== '' && !parts.includes(text)) parts.push(text)
  }
  return parts.filter((part) => part !== '').join('\n\n')
}
