import { redactValues } from '@troupe/env'
import {
  EVENT_HEAD_KEYS,
  type Account,
  type AgentDefinition,
  type Ancestor,
  type EventDraft,
  type EventHead,
  type EventPayloads,
  type EventType,
  type Json,
  type LanguageModel,
  type Message,
  type ModelHandle,
  type OutputContract,
  type Pot,
  type PreparedAgent,
  type RootScope,
  type RunControl,
  type RunRequest,
} from '@troupe/schema'
import type { RunAccount } from '../budget/account.ts'
import { createAccount } from '../budget/account.ts'
import type { OwnedDeadline } from '../time/deadline.ts'
import type { HeldResults } from '../calls/held-results.ts'
import type { Journal } from '../journal/journal.ts'
import type { Reported } from '../model/prompt-size.ts'
import { outputContract } from '../output/output-contract.ts'
import { createRunStop, type Stop } from '../time/stop.ts'
import type { WatchedChild } from '../children/watch-child.ts'

/** One run in flight: what its files share. Only the loop appends messages. */
export interface Run {
  readonly definition: AgentDefinition
  readonly request: RunRequest
  /** The form its answer must have. */
  readonly output: OutputContract
  readonly root: RootScope
  readonly depth: number
  readonly stop: Stop
  readonly account: RunAccount
  /** What the run has done before it was interrupted; undefined: it runs for the first time. */
  journal: Journal | undefined
  /** Counts the active time of the run and ends it when its limit is reached. Set when the run starts. */
  deadline: OwnedDeadline | undefined
  /** Set once the session is prepared; the loop starts after that. */
  prepared: PreparedAgent | undefined
  /** The models it has called: each is opened once for the run. */
  readonly models: { readonly handle: ModelHandle; readonly model: LanguageModel }[]
  /** The conversation: appended to, never edited. */
  readonly messages: Message[]
  /** What the model is shown of it: the same list until it had to be shortened, then a list of its own that grows with it. */
  view: Message[]
  /** Messages that the view leaves out. */
  dropped: number
  /** What it may still spend; undefined: no cap is in force. */
  pot: Pot | undefined
  /** What a provider last reported of the view. */
  reported: Reported | undefined
  /** Messages that stood there when the run opened. */
  readonly historyLength: number
  /** The turn it is in, from 1; 0 before the first. */
  turn: number
  /** Calls of a model beside the conversation, in the turn of the last one. */
  asides: { readonly turn: number; readonly count: number }
  /** Turns in a row in which no call of the model could be run: an unknown tool, or arguments that do not fit. */
  unusableTurns: number
  /** The last text of the model: what a run that ends early still has to show. */
  lastText: string
  /** Children that have not ended: a run waits for them before it ends. Made for the first of them. */
  children: Set<WatchedChild> | undefined
  /** Children whose failure is listed among the problems; created with the first one. */
  reportedChildren: Set<string> | undefined
  /** From the root to this run, as its children are told; made for the first of them. */
  lineage: readonly Ancestor[] | undefined
  /** Results that were cut, whole; made for the first of them. */
  held: HeldResults | undefined
  /** Its end is told: nothing more is written of it. */
  isOver: boolean
  /** Hook state of scope `run`; made when first asked for. */
  hookState: Map<string, unknown> | undefined
}

/** The state of a run that is about to start. */
export function createRun(parts: {
  readonly definition: AgentDefinition
  readonly request: RunRequest
  readonly root: RootScope
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
    stop: createRunStop(control),
    account: createAccount(control.account satisfies Account),
    journal: undefined,
    deadline: undefined,
    prepared: undefined,
    models: [],
    pot: undefined,
    reported: undefined,
    messages,
    view: messages,
    dropped: 0,
    historyLength: history.length,
    turn: 0,
    asides: NO_ASIDES,
    unusableTurns: 0,
    lastText: '',
    children: undefined,
    reportedChildren: undefined,
    lineage: undefined,
    held: undefined,
    isOver: false,
    hookState: undefined,
  }
}

const NO_ASIDES = Object.freeze({ turn: 0, count: 0 })

/** Appends to the conversation. From then on the message is frozen and shared. */
export function keepMessage(run: Run, message: Message): void {
  run.messages.push(Object.freeze(message))
  if (run.view !== run.messages) run.view.push(message)
}

/** True when somebody listens or entries are kept. What costs something to tell is only put together then. */
export function isHeard(run: Run): boolean {
  const { log } = run.root
  return log.active || log.keeps
}

/** True when entries are kept: steps are only put together then. */
export function isKept(run: Run): boolean {
  return run.root.log.keeps
}

/** A fact of a run that it can be resumed from. */
export interface Step {
  readonly key: string
  readonly value: Json
}

/** Writes an event, a step, or both: the only way anything leaves a run. Secrets are hidden in the event and sealed in the step. */
export function write<T extends EventType>(
  run: Run,
  type: T,
  payload: EventPayloads[T],
  options: { readonly callId?: string | undefined; readonly step?: Step | undefined } = NOTHING_MORE,
): void {
  if (isHeard(run)) writeEvent(run, toEvent(run, type, payload, options.callId), options.step)
}

const NOTHING_MORE = Object.freeze({})

/** Writes an event that is whole: `{...headOf(run, type), …}`, in one literal, costs half of one that is put together. For what every turn tells. */
export function writeEvent(run: Run, event: EventDraft, step?: Step): void {
  // it is kept with its step: a run that is resumed passes here again
  if (run.journal?.wasTold(event) === true) return
  const { runId } = run.request
  const shown = run.root.redactor === undefined ? event : withoutSecrets(run, event)
  run.root.log.write(
    step === undefined || !isKept(run)
      ? { runId, event: shown }
      : { runId, event: shown, step: sealed(run, step) },
  )
}

/** Tells watchers a transient event. Callers on the token path check `log.watched` first. */
export function tell<T extends EventType>(
  run: Run,
  type: T,
  payload: EventPayloads[T],
  callId?: string,
): void {
  if (!run.root.log.watched) return
  run.root.log.tell(withoutSecrets(run, toEvent(run, type, payload, callId)))
}

/** The head of an event of the run. Every event passes here, so it is made at once, and not of a place by `eventHead`. */
export function headOf<T extends EventType>(run: Run, type: T, callId?: string): EventHead<T> {
  const { runId, rootRunId, parentRunId, agent, instance } = run.request
  const time = run.root.clock.now()
  const head = { time, runId, rootRunId, agent: agent.name, instance, depth: run.depth, type }
  const placed: { -readonly [K in keyof EventHead<T>]: EventHead<T>[K] } = head
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
  return Object.assign(headOf(run, type, callId), payload) as unknown as EventDraft
}

function withoutSecrets(run: Run, event: EventDraft): EventDraft {
  const shown = redacted(run, event)
  if (shown === event) return event
  // names and ids are no secrets, whatever they look like
  const head = EVENT_HEAD_KEYS.filter((key) => event[key] !== undefined).map((key) => [key, event[key]])
  return { ...shown, ...(Object.fromEntries(head) as Partial<EventDraft>) } as EventDraft
}

/** The value as it may be shown. */
export function redacted<T>({ root }: Pick<Run, 'root'>, value: T): T {
  const { redactor } = root
  return redactor === undefined ? value : redactValues(value, redactor.redact)
}

/** The value as it may be kept. */
export function sealed<T>({ root }: Pick<Run, 'root'>, value: T): T {
  const { redactor } = root
  return redactor === undefined ? value : redactValues(value, redactor.seal)
}
