import {
  errorMessage,
  failure,
  type ApprovalDecision,
  type Json,
  type JsonObject,
  type Question,
  type PersonAnswer,
  type Clock,
} from '@troupe/schema'
import type { ApprovalGate } from '@troupe/schema/ports'
import { canonicalJson } from '@troupe/schema/json'
import {
  APPROVAL_EXPIRY_MS,
  type Deadline,
  type PresentRequests,
  type RunTreeApprover,
} from '@troupe/schema/ports'
import type { LoggedRun } from '../log/run-log.ts'
import { createCancellation, raceCancellation, type Cancellation } from '../run/cancellation.ts'

/**
 * A request for input from outside of the run: the approval of a call, with `asks` a question from a tool, or
 * with `client` the result of a call that the client executes.
 */
export interface HumanInputRequest {
  readonly callId: string
  /** Key of the request within its run. */
  readonly requestKey: string
  readonly toolName: string
  readonly args: JsonObject
  readonly asks?: Question
  /** Reason given by a hook or by a rule about arguments. */
  readonly reason?: string
  readonly client?: true
}

/** Clocks of the work that waits for human input. */
interface HumanInputClocks {
  readonly deadline: Deadline
  readonly cancellation: Cancellation
}

/** Returns the stored decision on an identical request from before an interruption, if there is one. */
export function recallDecision(run: LoggedRun, request: HumanInputRequest): ApprovalDecision | undefined {
  const recorded = run.log.journal?.step(`approval:${request.requestKey}`) as RecordedDecision | undefined
  if (recorded === undefined || canonicalJson(recorded.args) !== canonicalJson(subjectOf(request)))
    return undefined
  return recorded
}

/** Returns the gate at which calls for people, or for the client, wait. `undefined` if they cannot wait. */
export function findGate(
  { root }: LoggedRun,
  { client }: Pick<HumanInputRequest, 'client'> = {},
): ApprovalGate | undefined {
  return root.approvalGate?.isForClient === true && client === undefined ? undefined : root.approvalGate
}

type RecordedDecision = ApprovalDecision & { readonly args: Json }

/** Returns the approval id of a request. */
export function approvalIdOf(run: LoggedRun, { requestKey }: Pick<HumanInputRequest, 'requestKey'>): string {
  return `${run.request.runId}:${requestKey}`
}

/**
 * Requests human input, and stores the request and the decision. `answer` asks an approver that is present;
 * if it is missing or returns `undefined`, the request waits at the approval gate. Never rejects.
 */
export async function requestDecision(
  run: LoggedRun,
  request: HumanInputRequest,
  {
    clocks,
    answer,
  }: {
    readonly clocks: HumanInputClocks
    readonly answer: ((signal: AbortSignal) => ReturnType<RunTreeApprover>) | undefined
  },
): Promise<ApprovalDecision> {
  const { callId, requestKey, toolName, args, asks, reason, client } = request
  const approvalId = approvalIdOf(run, request)
  const gate = findGate(run, request)
  const ms = gate === undefined ? run.definition.limits.approvalTimeout : APPROVAL_EXPIRY_MS
  // the result of a call for the client comes from the client alone
  const isPresent = gate === undefined && client === undefined
  const optional = {
    ...(asks === undefined ? {} : { asks }),
    ...(reason === undefined ? {} : { reason }),
    ...(client === undefined ? {} : { client }),
    ...(isPresent ? { expiresAt: run.root.clock.now() + ms } : {}),
  }
  const open = isPresent ? run.root.openRequests?.add(approvalId) : undefined
  run.log.appendEvent(
    'approval-request',
    { approvalId, toolName, args, ...optional },
    { callId, step: { key: `asked:${requestKey}`, value: { args: subjectOf(request) } } },
  )
  await run.log.waitUntilPersisted()
  const announce = (): void => run.log.appendEvent('run-waiting', { approvalId })
  // a person who is present is asked again if the run tree is suspended, so it is not suspended meanwhile
  const endWork = gate === undefined ? run.root.approvalGate?.startWork() : undefined
  const response = await waitForHumanInput(
    run,
    { clocks, ms },
    (signal): ApprovalDecision | PromiseLike<ApprovalDecision> =>
      firstAnswer(answer, open, signal) ??
      gate?.waitForDecision({ approvalId, announce }, signal) ?? { decision: 'denied' },
  )
  endWork?.()
  open?.close()
  const decision =
    'answer' in response ? response.answer : { decision: 'denied' as const, reason: response.reason }
  run.log.appendEvent(
    'approval-result',
    { approvalId, toolName, ...decision },
    { callId, step: { key: `approval:${requestKey}`, value: { ...decision, args: subjectOf(request) } } },
  )
  return decision
}

/** Asks the person who is present, unless the request is decided from elsewhere first. */
function firstAnswer(
  answer: ((signal: AbortSignal) => ReturnType<RunTreeApprover>) | undefined,
  open: ReturnType<PresentRequests['add']> | undefined,
  signal: AbortSignal,
): ReturnType<RunTreeApprover> {
  if (open === undefined) return answer?.(signal)
  const present = answer?.(AbortSignal.any([signal, open.withdrawn]))
  return present === undefined ? undefined : Promise.race([open.decision, present])
}

function subjectOf({ args, asks }: HumanInputRequest): Json {
  return asks === undefined ? args : (asks as unknown as Json)
}

/** The answer of a person, or the reason that there is none. */
type HumanResponse<T> = { readonly answer: T } | { readonly reason: string }

/**
 * Waits for human input, at most `ms`. Meanwhile the deadline and all deadlines above it are paused. Asks only
 * after the request is persisted. Never rejects.
 */
async function waitForHumanInput<T extends object>(
  run: LoggedRun,
  { clocks, ms }: { readonly clocks: HumanInputClocks; readonly ms: number },
  ask: (signal: AbortSignal) => T | PromiseLike<T>,
): Promise<HumanResponse<T>> {
  const resume = clocks.deadline.pause()
  const cancellation = createCancellation(clocks.cancellation)
  const cancel = run.root.clock.after(ms, () =>
    cancellation.cancel(failure('approval_denied', `no answer within ${ms} ms`)),
  )
  try {
    await run.root.log.waitForCommit()
    const answer = await raceCancellation(Promise.resolve(ask(cancellation.signal)), cancellation)
    return answer === undefined
      ? { reason: cancellation.reason?.message ?? 'the run was stopped' }
      : { answer }
  } catch (thrown) {
    return { reason: `the request failed: ${errorMessage(thrown)}` }
  } finally {
    cancel()
    cancellation.detach()
    resume()
  }
}

/** A tool call that asks a question. */
export interface QuestionContext {
  readonly callId: string
  readonly toolName: string
  readonly attempt: number
  /** 1-based number of the question within the attempt. */
  readonly ordinal: number
  /** True if the run may be suspended until there is an answer. The tool is then called again. */
  readonly mayWait: boolean
  readonly clocks: HumanInputClocks
}

/** Asks a question for a tool. A stored answer is reused when the run is resumed. Never rejects. */
export async function askQuestion(
  run: LoggedRun,
  asks: Question,
  call: QuestionContext,
): Promise<PersonAnswer> {
  const { callId, toolName, attempt, ordinal, clocks } = call
  const request: HumanInputRequest = {
    callId,
    requestKey: `${callId}#${attempt}.${ordinal}`,
    toolName,
    args: {},
    asks,
  }
  const recalled = recallDecision(run, request)
  if (recalled !== undefined) return toAnswer(recalled)
  const { ask } = run.root
  if (ask === undefined && (findGate(run) === undefined || !call.mayWait))
    return { answered: false, reason: 'this run cannot ask questions' }
  const { runId, agent, instance } = run.request
  const answer =
    ask === undefined
      ? undefined
      : async (signal: AbortSignal): Promise<ApprovalDecision> =>
          toDecision(await ask({ ...asks, toolName, runId, agent: agent.name, instance }, signal))
  return toAnswer(await requestDecision(run, request, { clocks, answer }))
}

function toDecision(answer: PersonAnswer): ApprovalDecision {
  if (!answer.answered) return { decision: 'denied', reason: answer.reason }
  const { text, values } = answer
  return { decision: 'approved', answer: text, ...(values === undefined ? {} : { values }) }
}

function toAnswer({ decision, answer, values, reason }: ApprovalDecision): PersonAnswer {
  if (decision === 'denied' || answer === undefined)
    return { answered: false, reason: reason ?? 'the question was declined' }
  return { answered: true, text: answer, ...(values === undefined ? {} : { values }) }
}

/** The approval gate of a run tree, as controlled by its host. */
export interface ApprovalGateControl extends ApprovalGate {
  /** Decides on a waiting call. Returns false if no such call is waiting. */
  decide(approvalId: string, decision: ApprovalDecision): boolean
}

interface WaitingCall {
  announce(): void
  decide(decision: ApprovalDecision): void
}

/**
 * Idle time in ms after which the run tree is suspended. It covers the work between two calls; longer work is
 * repeated on resume.
 */
const IDLE_MS = 50

/**
 * Creates the approval gate of one run tree, for people and clients or only for clients. Suspends it, with the
 * ids of its open approvals, once calls are waiting and nothing has been active for a moment.
 */
export function createApprovalGate({
  clock,
  isForClient = false,
  suspend,
}: {
  readonly clock: Clock
  readonly isForClient?: boolean
  suspend(approvalIds: readonly string[]): void
}): ApprovalGateControl {
  const calls = new Map<string, WaitingCall>()
  let activeCount = 0
  let cancel: (() => void) | undefined

  /** Restarts or clears the idle timer. Called after every change. */
  function watch(): void {
    cancel?.()
    cancel = activeCount === 0 && calls.size > 0 ? clock.after(IDLE_MS, onIdle) : undefined
  }

  function onIdle(): void {
    cancel = undefined
    for (const call of calls.values()) call.announce()
    suspend([...calls.keys()])
  }

  function end(approvalId: string): void {
    calls.delete(approvalId)
    watch()
  }

  return {
    isForClient,
    startWork() {
      activeCount += 1
      watch()
      return () => {
        activeCount -= 1
        watch()
      }
    },
    waitForDecision({ approvalId, announce }, signal) {
      return new Promise((decide) => {
        calls.set(approvalId, { announce, decide })
        signal.addEventListener('abort', () => end(approvalId), { once: true })
        watch()
      })
    },
    decide(approvalId, decision) {
      const call = calls.get(approvalId)
      call?.decide(decision)
      if (call !== undefined) end(approvalId)
      return call !== undefined
    },
  }
}

/** Activity of a tool in a run tree that can be suspended. Waiting for human input is not activity. */
export interface ActivityTracker {
  /** Marks the tool as waiting for human input. Returns a function that ends the wait. */
  pause(): () => void
  end(): void
}

/** Marks a tool as active. */
export function trackActivity(gate: ApprovalGate): ActivityTracker {
  let endWork: (() => void) | undefined = gate.startWork()
  let pauseCount = 0
  return {
    pause() {
      pauseCount += 1
      endWork?.()
      endWork = undefined
      return () => {
        pauseCount -= 1
        if (pauseCount === 0) endWork = gate.startWork()
      }
    },
    end: () => endWork?.(),
  }
}
