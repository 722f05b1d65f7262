import {
  failure,
  inputMessage,
  toFailure,
  type AgentDefinition,
  type EventPayloads,
  type Failure,
  type Json,
  type MaybePromise,
  type Message,
  type Outcome,
  type PreparedAgent,
  type RunTreeContext,
  type RunControl,
  type RunRequest,
  type RunResult,
  type ToolDefinition,
} from '@troupe/schema'
import { restoreAccount, endAbandoned } from '../log/restore-account.ts'
import { createDeadline } from '../run/deadline.ts'
import { runTime } from '../log/resume-state.ts'
import { createJournal, type Journal } from '../log/journal.ts'
import { pastResult } from '../log/past-conversation.ts'
import { toOutput } from '../model/output.ts'
import { CLEANUP_MS, RELEASE_MS, withTimeout } from '../run/clock.ts'
import { openBudget } from '../budget/reserve-call.ts'
import {
  createRun,
  hasListeners,
  isPersistent,
  redacted,
  appendEvent,
  endOfStoppedRun,
  type Run,
  type RunEnd,
} from '../run/run.ts'
import { runComposition } from '../loop/run-composition.ts'
import { runTurns } from '../loop/run-turns.ts'
import { callLoopHook } from '../model/loop-hooks.ts'
import { createCancellation, raceOwnCancellation, type Cancellation } from '../run/cancellation.ts'
import { writeWarning, type SessionWarning } from '../log/problems.ts'
import { waitUntilEndPersisted } from '../log/run-log.ts'
import { whenKnown } from '../time/when-known.ts'
import { buildSystemPrompt } from './system-prompt.ts'

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
  ): MaybePromise<PreparedAgent>
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
  const run = createRun(input)
  run.journal = journal
  restoreAccount(run)
  const startedAt = run.root.clock.monotonic()
  startClock(run, input.control)
  writeStart(run)
  let end: RunEnd
  try {
    const preparing = prepareOrCancel(run, input)
    const prepared = preparing instanceof Promise ? await preparing : preparing
    end =
      prepared === undefined
        ? endOfStoppedRun(run)
        : await start(run, removeToolsNeedingApproval(run, prepared))
  } catch (thrown) {
    end = { outcome: 'failed', text: run.lastText, failure: toFailure(thrown) }
  }
  return settle(run, await finish(run, end), { startedAt, control: input.control })
}

async function openJournal({ request, root }: SessionInput): Promise<Journal | undefined> {
  const past = await root.resumeState?.readRun(request.runId)
  return past === undefined ? undefined : createJournal(past, root)
}

function startClock(run: Run, control: RunControl): void {
  const ms = Math.min(run.request.remainingMs ?? Infinity, run.definition.limits.timeout ?? Infinity)
  const isChild = run.request.parentRunId !== undefined
  const { name } = run.request.agent
  run.deadline = createDeadline({
    ms,
    clock: run.root.clock,
    above: control.deadline,
    onExpire: () =>
      run.cancellation.cancel(
        isChild
          ? failure('child_timeout', `The agent ${name} did not finish within ${describeTimeout(run, ms)}`)
          : failure('run_timeout', `The run did not finish within ${describeTimeout(run, ms)}`),
      ),
  })
}

/** Returns the end of a timeout message, with the MCP servers that had not started. */
function describeTimeout({ prepared, definition }: Run, ms: number): string {
  const time = `${Math.round(ms)} ms`
  const servers = new Set([...definition.servers, ...Object.keys(definition.mcpServers)])
  if (prepared !== undefined || servers.size === 0) return `${time}.`
  return `${time}: it was still waiting for its MCP servers to start (${[...servers].join(', ')}).`
}

function writeStart(run: Run): void {
  if (!hasListeners(run)) return
  const { request, definition } = run
  appendEvent(
    run,
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

/** Omits the history if it is stored with the run that this one continues. */
function toStoredRequest(request: RunRequest): Json {
  const { history: _, ...rest } = request
  return (request.continues === undefined ? request : rest) as unknown as Json
}

/** Runs the loop of model and tools, or the composition of the agent. */
function start(run: Run, prepared: PreparedAgent): Promise<RunEnd> {
  run.prepared = prepared
  run.root.recording?.onSessionReady(run.request.runId, prepared)
  if (prepared.compose !== undefined) {
    openBudget(run, prepared)
    return runComposition(run, prepared, prepared.compose)
  }
  run.messages.push(inputMessage(run.request.input, run.request.attachments))
  openBudget(run, prepared)
  return runTurns(run, prepared)
}

/** Prepares the agent. If the run is cancelled first, returns `undefined` and releases the agent later. */
function prepareOrCancel(run: Run, input: SessionInput): MaybePromise<PreparedAgent | undefined> {
  if (run.cancellation.reason !== undefined) return undefined
  const stop = createCancellation(run.cancellation)
  const { site } = run.request
  const preparing = input.prepare(stop, (warning) => writeWarning(run, warning, site?.callId))
  if (preparing instanceof Promise) return waitForPrepared(preparing, stop)
  stop.detach()
  return preparing
}

async function waitForPrepared(
  preparing: Promise<PreparedAgent>,
  stop: Cancellation,
): Promise<PreparedAgent | undefined> {
  try {
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
      // the run has already ended for its own reason
    },
  )
}

const ENDED = failure('run_cancelled', 'The run has ended.')

async function finish(run: Run, end: RunEnd): Promise<RunEnd> {
  // the caller of a child has its own time limit
  const mayLast = run.cancellation.reason === undefined && run.request.parentRunId === undefined
  // a suspended run has not ended
  const isSuspended = run.cancellation.reason?.code === 'run_waiting'
  const hooked = isSuspended ? undefined : await callLoopHook(run, 'onEnd', end.outcome)
  run.deadline?.clear()
  run.cancellation.cancel(ENDED)
  run.cancellation.detach()
  // each is also awaited by its own call, which handles the result
  if (run.children !== undefined) await Promise.all(Array.from(run.children, ({ end }) => end))
  run.budget?.close()
  try {
    const releasing = run.prepared?.release()
    if (releasing instanceof Promise)
      await withTimeout(releasing, mayLast ? RELEASE_MS : CLEANUP_MS, run.root.clock)
  } catch (thrown) {
    appendEvent(run, 'warning', { code: 'release_failed', message: toFailure(thrown).message })
  }
  return hooked === undefined || end.failure !== undefined
    ? end
    : { ...end, outcome: 'failed', failure: hooked }
}

/** Appends the end of the run and returns its result. Waits until the end of a root run is persisted. */
function settle(
  run: Run,
  end: RunEnd,
  { startedAt, control }: { readonly startedAt: number; readonly control: RunControl },
): MaybePromise<RunResult> {
  const { request } = run
  const { output, failure: mismatch } = toOutput(run, end)
  const ended: Outcome = mismatch === undefined ? end.outcome : 'failed'
  const endReason = redacted(run, mismatch ?? end.failure)
  const usage = run.account.total()
  const byAgent = run.account.byAgent()
  const unpriced = run.account.unpriced()
  const problems = run.account.problems()
  const time = runTime(run, startedAt)
  const sums = { usage, byAgent, unpriced, ...problems, ...time }
  if (hasListeners(run)) {
    if (request.parentRunId === undefined && isPersistent(run)) endAbandoned(run, endReason)
    const error = endReason === undefined ? {} : { error: endReason }
    writeEnd(run, { outcome: ended, output, ...sums, ...error })
  }
  run.hasEnded = true
  run.fullTexts?.release()
  const emittedEnd: EmittedEnd = { outcome: ended, failure: endReason, output, ...sums }
  // skip children, because this would create their signal
  const keeping = request.parentRunId === undefined ? waitUntilEndPersisted(run, control) : undefined
  return whenKnown(keeping, (persistFailure) =>
    toResult(
      run,
      persistFailure === undefined
        ? emittedEnd
        : { ...emittedEnd, outcome: 'failed', failure: persistFailure },
    ),
  )
}

type EmittedEnd = Omit<Required<EventPayloads['run-end']>, 'error'> & {
  readonly failure: Failure | undefined
}

function toResult(run: Run, { outcome, failure: reason, output, ...sums }: EmittedEnd): RunResult {
  const { runId, agent } = run.request
  return {
    runId,
    agent: agent.name,
    outcome,
    text: output.text ?? '',
    ...(output.value === undefined ? {} : { value: output.value }),
    ...(reason === undefined ? {} : { failure: reason }),
    ...sums,
    messages: messagesOfRun(run),
  }
}

function writeEnd(run: Run, payload: EventPayloads['run-end']): void {
  appendEvent(run, 'run-end', payload, {
    callId: run.request.site?.callId,
    step: { key: 'end', value: payload as unknown as Json },
  })
}

/** Returns the messages of this run. Redacts those of a child, as its parent may merge them. */
function messagesOfRun(run: Run): readonly Message[] {
  const own = run.messages.slice(run.historyLength)
  return run.request.parentRunId === undefined ? own : redacted(run, own)
}

/** Removes tools that need an approval if the run is headless, and warns if none are left. */
export function removeToolsNeedingApproval(run: Run, prepared: PreparedAgent): PreparedAgent {
  if (run.root.headless !== true) return prepared
  const { tools, definition } = prepared
  const remaining = [...tools].filter(([, tool]) => prepared.permission.ofTool(tool) === 'allow')
  if (remaining.length === tools.size) return prepared
  if (remaining.length === 0) warnNoToolsLeft(run, [...tools.values()])
  return {
    ...prepared,
    tools: new Map(remaining),
    system: buildSystemPrompt(
      definition,
      remaining.map(([, tool]) => tool),
    ),
  }
}

function warnNoToolsLeft(run: Run, tools: readonly ToolDefinition[]): void {
  const names = tools.map(({ name }) => name).join(', ')
  writeWarning(run, {
    weakens: true,
    code: 'headless_no_tools',
    message: `${run.request.agent.name} has none of its tools: each needs an approval and nobody can be asked. Left out: ${names}.`,
  })
}
