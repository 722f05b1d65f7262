import { redactValues } from '@troupe/env'
import {
  failure,
  outcomeOf,
  type AgentDefinition,
  type ClientTurn,
  type Failure,
  type Outcome,
  type OutputContract,
  type Citation,
  type OutputFile,
} from '@troupe/schema'
import { sha256Hex } from '@troupe/schema/json'
import type { Account, RunControl, RunRequest, RunTreeContext } from '@troupe/schema/ports'
import { createAccount, type RunAccount } from './account.ts'
import { createRunCancellation, type Cancellation } from './cancellation.ts'
import { createDeadline, type OwnedDeadline } from './clock.ts'

/** One execution of an agent: its request, its services and its limits. State that changes is in its parts. */
export interface Run {
  readonly definition: AgentDefinition
  readonly request: RunRequest
  /** Required form of the answer. */
  readonly output: OutputContract
  /** Services and state that all runs of the tree share. */
  readonly root: RunTreeContext
  readonly depth: number
  readonly cancellation: Cancellation
  readonly account: RunAccount
  /** Deadline of the active time of the run. */
  readonly deadline: OwnedDeadline
  readonly progress: RunProgress
  /** True while the model is called for something outside of the conversation. */
  readonly isSideCall?: boolean
}

const NO_FILES: readonly OutputFile[] = Object.freeze([])
const NO_CLIENT: ClientTurn = Object.freeze({})

/** Position of a run in its loop. */
class RunProgress {
  /** 1-based number of the current turn. 0 before the first. */
  turn = 0
  /** Number of side calls in the current turn. */
  sideCalls = 0
  /** Last text of the model, which is the answer of a run that ends early. */
  lastText = ''
  /** Last text that output guards let pass. Only set if the agent has some. */
  releasedText: string | undefined
  /** Files that tools returned so far, if the agent adds them to its answer. */
  files: readonly OutputFile[] = NO_FILES
  /** Requirements of the client for the model calls up to its next call. */
  clientTurn: ClientTurn
  /** Instructions of the client; empty if there are none. */
  clientInstructions: string

  constructor({ clientTools, clientInstructions = '' }: RunRequest) {
    this.clientTurn = clientTools ?? NO_CLIENT
    this.clientInstructions = clientInstructions
  }

  /** Starts the next turn and returns its number. */
  startTurn(): number {
    this.turn += 1
    this.sideCalls = 0
    return this.turn
  }
}

/** Creates a run and starts its deadline. `describeWait` completes the message if the deadline expires. */
export function createRun(parts: {
  readonly definition: AgentDefinition
  readonly request: RunRequest
  readonly root: RunTreeContext
  readonly control: RunControl
  describeWait(): string
}): Run {
  const { definition, request, root, control } = parts
  const cancellation = createRunCancellation(control)
  const ms = Math.min(request.remainingMs ?? Infinity, definition.limits.timeout ?? Infinity)
  return {
    definition,
    request,
    output: outputContract(definition.output, request.output),
    root,
    depth: request.ancestry.length,
    cancellation,
    account: createAccount(control.account satisfies Account),
    deadline: createDeadline({
      ms,
      clock: root.clock,
      parent: control.deadline,
      onExpire: () =>
        cancellation.cancel(timeoutFailure(request, `${Math.round(ms)} ms${parts.describeWait()}`)),
    }),
    progress: new RunProgress(request),
  }
}

/**
 * Returns the output contract of the caller, or else the agent's own. If the caller wants JSON without a
 * schema, the agent's schema applies.
 */
function outputContract(own: OutputContract, requested: OutputContract | undefined): OutputContract {
  if (requested === undefined) return own
  if (requested.format !== 'json' || requested.schema !== undefined || own.schema === undefined)
    return requested
  return { format: 'json', schema: own.schema }
}

function timeoutFailure({ parentRunId, agent }: RunRequest, time: string): Failure {
  return parentRunId === undefined
    ? failure('run_timeout', `The run did not finish within ${time}`)
    : failure('child_timeout', `The agent ${agent.name} did not finish within ${time}`)
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

/** The end of a run before it is appended. */
export interface RunEnd {
  readonly outcome: Outcome
  readonly text: string
  /** Files of the answer, besides those that tools returned earlier. */
  readonly files?: readonly OutputFile[]
  /** Web pages that support the text. */
  readonly citations?: readonly Citation[]
  readonly failure?: Failure
}

/** Creates the end of a run that was stopped by its deadline, its parent or its caller. */
export function endOfStoppedRun(run: Run): RunEnd {
  return endWithFailure(run, run.cancellation.reason ?? failure('run_cancelled', 'The run was stopped.'))
}

/** Creates the end of a run that failed. Its answer is the last text of the model. */
export function endWithFailure({ progress }: Run, reason: Failure): RunEnd {
  return { outcome: outcomeOf(reason), text: progress.lastText, failure: reason }
}

const ID_LENGTH = 32

/** Derives the id of a child run from its call, so that a resumed parent finds its children again. */
export function childRunId(position: {
  readonly parentRunId: string
  readonly turn: number
  readonly ordinal: number
  readonly attempt: number
}): string {
  const key = `${position.parentRunId}/${position.turn}.${position.ordinal}#${position.attempt}`
  return `run_${sha256Hex(key).slice(0, ID_LENGTH)}`
}

/** Creates a random id of 128 bits. Ids are handles, so they must not be guessable. */
export function randomId(prefix: string): string {
  if (usedBytes === randomBytes.length) {
    crypto.getRandomValues(randomBytes)
    usedBytes = 0
  }
  let digits = ''
  for (const end = usedBytes + ID_BYTES; usedBytes < end; usedBytes++)
    digits += HEX[randomBytes[usedBytes] ?? 0]
  return `${prefix}_${digits}`
}

/** Random bytes are fetched for many ids at once, because a system call costs as much as half a run. */
const ID_BYTES = ID_LENGTH / 2
const randomBytes = new Uint8Array(64 * ID_BYTES)
let usedBytes = randomBytes.length

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
