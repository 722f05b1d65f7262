import { redactValues } from '@troupe/env'
import {
  EVENT_ENVELOPE_KEYS,
  failure,
  outcomeOf,
  type Account,
  type AgentDefinition,
  type Ancestor,
  type EventDraft,
  type EventEnvelope,
  type EventPayloads,
  type EventType,
  type Json,
  type LanguageModel,
  type Message,
  type ModelHandle,
  type OutputContract,
  type BudgetScope,
  type PreparedAgent,
  type RunTreeContext,
  type RunControl,
  type RunRequest,
  type Failure,
  type Outcome,
} from '@troupe/schema'
import { createAccount, type RunAccount } from './account.ts'
import type { OwnedDeadline } from './deadline.ts'
import type { FullTextStore } from '../tools/read-result.ts'
import type { Journal } from '../log/journal.ts'
import type { ReportedTokens } from '../context/prompt-size.ts'
import { createRunCancellation, type Cancellation } from './cancellation.ts'
import type { WatchedChild } from '../children/watch-child.ts'

/** The shared state of one run. Only the loop appends messages. */
export interface Run {
  readonly definition: AgentDefinition
  readonly request: RunRequest
  /** Required form of the answer. */
  readonly output: OutputContract
  readonly root: RunTreeContext
  readonly depth: number
  readonly cancellation: Cancellation
  readonly account: RunAccount
  /** State from before an interruption. `undefined` if the run was not resumed. */
  journal: Journal | undefined
  /** Deadline of the active time of the run. Set when the run starts. */
  deadline: OwnedDeadline | undefined
  /** Set once the agent is prepared. The loop starts after that. */
  prepared: PreparedAgent | undefined
  /** Models called so far. Each is opened once per run. */
  readonly models: { readonly handle: ModelHandle; readonly model: LanguageModel }[]
  /** The conversation. Append-only. */
  readonly messages: Message[]
  /** Messages that are sent to the model: the same list until it must be shortened, then a separate list. */
  view: Message[]
  /** Number of messages that the view leaves out. */
  dropped: number
  /** Remaining budget. `undefined` if there is no limit. */
  budget: BudgetScope | undefined
  /** Token count that a provider last reported for the view. */
  reportedTokens: ReportedTokens | undefined
  /** Number of messages before those of the run itself. */
  readonly historyLength: number
  /** 1-based number of the current turn. 0 before the first. */
  turn: number
  /** Number of side calls, in the turn of the latest one. */
  sideCalls: { readonly turn: number; readonly count: number }
  /** Number of consecutive turns in which every call had an unknown tool or invalid arguments. */
  unusableTurns: number
  /** Last text of the model, which is the answer of a run that ends early. */
  lastText: string
  /** Children that have not ended. The run waits for them before it ends. Created on demand. */
  children: Set<WatchedChild> | undefined
  /** Children whose failure is already among the problems. Created on demand. */
  reportedChildren: Set<string> | undefined
  /** Agents from the root run to this one, which its children get. Created on demand. */
  childAncestry: readonly Ancestor[] | undefined
  /** Full texts of truncated results. Created on demand. */
  fullTexts: FullTextStore | undefined
  /** True once the end is appended. No event may follow. */
  hasEnded: boolean
  /** Hook state of scope `run`. Created on demand. */
  hookState: Map<string, unknown> | undefined
}

export function createRun(parts: {
  readonly definition: AgentDefinition
  readonly request: RunRequest
  readonly root: RunTreeContext
  readonly control: RunControl
}): Run {
  const { definition, request, root, control } = parts
  const history = request.history ?? []
  const messages = [...history]
  return {
    definition,
    request,
    output: outputContract(definition.output, request.output),
    root,
    depth: request.ancestry.length,
    cancellation: createRunCancellation(control),
    account: createAccount(control.account satisfies Account),
    journal: undefined,
    deadline: undefined,
    prepared: undefined,
    models: [],
    budget: undefined,
    reportedTokens: undefined,
    messages,
    view: messages,
    dropped: 0,
    historyLength: history.length,
    turn: 0,
    sideCalls: NO_SIDE_CALLS,
    unusableTurns: 0,
    lastText: '',
    children: undefined,
    reportedChildren: undefined,
    childAncestry: undefined,
    fullTexts: undefined,
    hasEnded: false,
    hookState: undefined,
  }
}

const NO_SIDE_CALLS = Object.freeze({ turn: 0, count: 0 })

/** Appends a message to the conversation. The message is frozen and shared from then on. */
export function appendMessage(run: Run, message: Message): void {
  run.messages.push(Object.freeze(message))
  if (run.view !== run.messages) run.view.push(message)
}

/** Returns true if events have a listener or are stored. Costly events are only created in that case. */
export function hasListeners(run: Run): boolean {
  const { log } = run.root
  return log.isActive || log.isPersistent
}

/** Returns true if events are stored. Steps are only created in that case. */
export function isPersistent(run: Run): boolean {
  return run.root.log.isPersistent
}

/** A stored fact from which a run can be resumed. */
export interface RunStep {
  readonly key: string
  readonly value: Json
}

/** Appends an event, optionally with a step. Secrets are redacted in the event and sealed in the step. */
export function appendEvent<T extends EventType>(
  run: Run,
  type: T,
  payload: EventPayloads[T],
  options: { readonly callId?: string | undefined; readonly step?: RunStep | undefined } = NOTHING_MORE,
): void {
  if (hasListeners(run)) appendEventDraft(run, toEvent(run, type, payload, options.callId), options.step)
}

const NOTHING_MORE = Object.freeze({})

/** Appends a complete event. A single literal with {@link envelopeOf} costs half as much as {@link appendEvent}. */
export function appendEventDraft(run: Run, event: EventDraft, step?: RunStep): void {
  // already stored: a resumed run passes here again
  if (run.journal?.isStored(event) === true) return
  const { runId } = run.request
  const shown = run.root.redactor === undefined ? event : withoutSecrets(run, event)
  run.root.log.append(
    step === undefined || !isPersistent(run)
      ? { runId, event: shown }
      : { runId, event: shown, step: sealed(run, step) },
  )
}

/** Emits a transient event to watchers. Callers that emit per token check `log.watched` first. */
export function emitTransient<T extends EventType>(
  run: Run,
  type: T,
  payload: EventPayloads[T],
  callId?: string,
): void {
  if (!run.root.log.hasDeltaListeners) return
  run.root.log.emitTransient(withoutSecrets(run, toEvent(run, type, payload, callId)))
}

/** Creates the envelope of an event of the run. Built directly, because every event needs one. */
export function envelopeOf<T extends EventType>(run: Run, type: T, callId?: string): EventEnvelope<T> {
  const { runId, rootRunId, parentRunId, agent, instance } = run.request
  const time = run.root.clock.now()
  const head = { time, runId, rootRunId, agent: agent.name, instance, depth: run.depth, type }
  const placed: { -readonly [K in keyof EventEnvelope<T>]: EventEnvelope<T>[K] } = head
  if (parentRunId !== undefined) placed.parentRunId = parentRunId
  if (callId !== undefined) placed.callId = callId
  const { toolName } = run.definition
  if (run.depth > 0 && toolName !== undefined) placed.calledAs = toolName
  return placed
}

function toEvent<T extends EventType>(
  run: Run,
  type: T,
  payload: EventPayloads[T],
  callId: string | undefined,
): EventDraft {
  return Object.assign(envelopeOf(run, type, callId), payload) as unknown as EventDraft
}

function withoutSecrets(run: Run, event: EventDraft): EventDraft {
  const shown = redacted(run, event)
  if (shown === event) return event
  // names and ids are not redacted, even if they contain a secret
  const head = EVENT_ENVELOPE_KEYS.filter((key) => event[key] !== undefined).map((key) => [key, event[key]])
  return { ...shown, ...(Object.fromEntries(head) as Partial<EventDraft>) } as EventDraft
}

/** Returns the value with secrets redacted, for display. */
export function redacted<T>({ root }: Pick<Run, 'root'>, value: T): T {
  const { redactor } = root
  return redactor === undefined ? value : redactValues(value, redactor.redact)
}

/** Returns the value with secrets sealed, for storage. */
export function sealed<T>({ root }: Pick<Run, 'root'>, value: T): T {
  const { redactor } = root
  return redactor === undefined ? value : redactValues(value, redactor.seal)
}

/**
 * Returns the output contract of the caller, or else the agent's own. If the caller wants JSON without a
 * schema, the agent's schema applies.
 */
export function outputContract(own: OutputContract, wanted: OutputContract | undefined): OutputContract {
  if (wanted === undefined) return own
  if (wanted.format !== 'json' || wanted.schema !== undefined || own.schema === undefined) return wanted
  return { format: 'json', schema: own.schema }
}

/** The end of a run before it is appended. */
export interface RunEnd {
  readonly outcome: Outcome
  readonly text: string
  readonly failure?: Failure
}

/** Creates the end of a run that was stopped by its deadline, its parent or its caller. */
export function endOfStoppedRun(run: Run): RunEnd {
  const reason = run.cancellation.reason ?? failure('run_cancelled', 'The run was stopped.')
  return { outcome: outcomeOf(reason), text: run.lastText, failure: reason }
}
