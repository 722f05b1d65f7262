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
  type RootScope,
  type RunControl,
  type RunRequest,
  type RunResult,
} from '@troupe/schema'
import { restoreAccount } from '../budget/restore-account.ts'
import { createDeadline } from '../time/deadline.ts'
import { runTime } from '../time/run-time.ts'
import { endAbandoned } from '../journal/end-abandoned.ts'
import { createJournal, type Journal } from '../journal/journal.ts'
import { pastResult } from '../journal/past-result.ts'
import { toOutput } from '../output/output.ts'
import { LAST_WORK_MS, RELEASE_MS, within } from '../children/grace.ts'
import { openPot } from '../budget/reserve-call.ts'
import { createRun, isHeard, isKept, redacted, write, type Run } from './run.ts'
import { runComposition } from './run-composition.ts'
import { runTurns } from './run-turns.ts'
import { stopped, type RunEnd } from './run-end.ts'
import { callLoopHook } from './loop-hooks.ts'
import { createStop, untilOwnStop, type Stop } from '../time/stop.ts'
import { writeWarning, type SessionWarning } from './problems.ts'
import { withhold } from './withhold.ts'
import { untilEndKept } from '../journal/until-kept.ts'
import { whenKnown } from '../time/when-known.ts'

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
  readonly root: RootScope
  readonly control: RunControl
}

/**
 * Runs one agent in isolation, from `run-start` to exactly one `run-end`. Never rejects. Work that was
 * abandoned has been cancelled by then.
 */
export async function runSession(input: SessionInput): Promise<RunResult> {
  const journal = input.root.past === undefined ? undefined : await openJournal(input)
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
    const preparing = prepareUntilStop(run, input)
    const prepared = preparing instanceof Promise ? await preparing : preparing
    end = prepared === undefined ? stopped(run) : await start(run, withhold(run, prepared))
  } catch (thrown) {
    end = { outcome: 'failed', text: run.lastText, failure: toFailure(thrown) }
  }
  return settle(run, await finish(run, end), { startedAt, control: input.control })
}

async function openJournal({ request, root }: SessionInput): Promise<Journal | undefined> {
  const past = await root.past?.run(request.runId)
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
      run.stop.stop(
        isChild
          ? failure('child_timeout', `The agent ${name} did not finish within ${overdue(run, ms)}`)
          : failure('run_timeout', `The run did not finish within ${overdue(run, ms)}`),
      ),
  })
}

/** Returns the end of a timeout message, with the MCP servers that had not started. */
function overdue({ prepared, definition }: Run, ms: number): string {
  const time = `${Math.round(ms)} ms`
  const servers = new Set([...definition.servers, ...Object.keys(definition.mcpServers)])
  if (prepared !== undefined || servers.size === 0) return `${time}.`
  return `${time}: it was still waiting for its MCP servers to start (${[...servers].join(', ')}).`
}

function writeStart(run: Run): void {
  if (!isHeard(run)) return
  const { request, definition } = run
  write(
    run,
    'run-start',
    {
      input: request.input,
      model: definition.model,
      definition: { name: definition.name, digest: definition.digest, version: definition.version },
      sessionId: request.sessionId,
      maxInstances: definition.display.maxInstances,
    },
    { callId: request.site?.callId, step: { key: 'begin', value: asKept(request) } },
  )
}

/** Omits the history if it is stored with the run that this one continues. */
function asKept(request: RunRequest): Json {
  const { history: _, ...rest } = request
  return (request.continues === undefined ? request : rest) as unknown as Json
}

/** Runs the loop of model and tools, or the composition of the agent. */
function start(run: Run, prepared: PreparedAgent): Promise<RunEnd> {
  run.prepared = prepared
  run.root.tape?.ready(run.request.runId, prepared)
  if (prepared.compose !== undefined) {
    openPot(run, prepared)
    return runComposition(run, prepared, prepared.compose)
  }
  run.messages.push(inputMessage(run.request.input, run.request.attachments))
  openPot(run, prepared)
  return runTurns(run, prepared)
}

/** Prepares the agent. If the run is cancelled first, returns `undefined` and releases the agent later. */
function prepareUntilStop(run: Run, input: SessionInput): MaybePromise<PreparedAgent | undefined> {
  if (run.stop.reason !== undefined) return undefined
  const stop = createStop(run.stop)
  const { site } = run.request
  const preparing = input.prepare(stop, (warning) => writeWarning(run, warning, site?.callId))
  if (preparing instanceof Promise) return untilPrepared(preparing, stop)
  stop.detach()
  return preparing
}

async function untilPrepared(
  preparing: Promise<PreparedAgent>,
  stop: Stop,
): Promise<PreparedAgent | undefined> {
  try {
    const prepared = await untilOwnStop(preparing, stop)
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
  const mayLast = run.stop.reason === undefined && run.request.parentRunId === undefined
  // a suspended run has not ended
  const isLeft = run.stop.reason?.code === 'run_waiting'
  const hooked = isLeft ? undefined : await callLoopHook(run, 'onEnd', end.outcome)
  run.deadline?.clear()
  run.stop.stop(ENDED)
  run.stop.detach()
  // each is also awaited by its own call, which handles the result
  if (run.children !== undefined) await Promise.all(Array.from(run.children, ({ end }) => end))
  run.pot?.close()
  try {
    const releasing = run.prepared?.release()
    if (releasing instanceof Promise)
      await within(releasing, mayLast ? RELEASE_MS : LAST_WORK_MS, run.root.clock)
  } catch (thrown) {
    write(run, 'warning', { code: 'release_failed', message: toFailure(thrown).message })
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
  if (isHeard(run)) {
    if (request.parentRunId === undefined && isKept(run)) endAbandoned(run, endReason)
    const error = endReason === undefined ? {} : { error: endReason }
    writeEnd(run, { outcome: ended, output, ...sums, ...error })
  }
  run.isOver = true
  run.held?.release()
  const told: ToldEnd = { outcome: ended, failure: endReason, output, ...sums }
  // skip children, because this would create their signal
  const keeping = request.parentRunId === undefined ? untilEndKept(run, control) : undefined
  return whenKnown(keeping, (unkept) =>
    toResult(run, unkept === undefined ? told : { ...told, outcome: 'failed', failure: unkept }),
  )
}

type ToldEnd = Omit<Required<EventPayloads['run-end']>, 'error'> & { readonly failure: Failure | undefined }

function toResult(run: Run, { outcome, failure: reason, output, ...sums }: ToldEnd): RunResult {
  const { runId, agent } = run.request
  return {
    runId,
    agent: agent.name,
    outcome,
    text: output.text ?? '',
    ...(output.value === undefined ? {} : { value: output.value }),
    ...(reason === undefined ? {} : { failure: reason }),
    ...sums,
    messages: ownMessages(run),
  }
}

function writeEnd(run: Run, payload: EventPayloads['run-end']): void {
  write(run, 'run-end', payload, {
    callId: run.request.site?.callId,
    step: { key: 'end', value: payload as unknown as Json },
  })
}

/** Returns the messages of this run. Redacts those of a child, as its parent may merge them. */
function ownMessages(run: Run): readonly Message[] {
  const own = run.messages.slice(run.historyLength)
  return run.request.parentRunId === undefined ? own : redacted(run, own)
}
