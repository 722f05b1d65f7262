import { outcomeOf, type Failure, type Outcome } from '../errors/errors.ts'
import type { Json, JsonObject } from '../text/json.ts'
import type { Citation } from '../values/citation.ts'
import type { Attachment, Message, OutputFile } from '../values/message.ts'
import { NO_PROBLEMS, type RunProblems } from '../values/run-problem.ts'
import type { TraceContext } from '../values/trace-context.ts'
import { NO_USAGE, type Usage } from '../values/usage.ts'
import type { ModelSettings, OutputContract } from './agent.ts'
import type { ClientTools } from './client-tools.ts'
import type { CallSite } from './tool.ts'

/** One run on the path from the root run to a run. */
export interface Ancestor {
  readonly runId: string
  readonly name: string
  readonly digest: string
}

/** Default priority of a run. */
export const DEFAULT_PRIORITY = 100

/** Overrides of the cards for one run tree. */
export interface TeamOverrides {
  /** Model for all agents, instead of those of the cards. */
  readonly model?: string
  /** Prompts by agent name. */
  readonly prompts?: Readonly<Record<string, string>>
  /** Models and model settings by agent name. */
  readonly agents?: Readonly<Record<string, AgentOverrides>>
}

/** Overrides of the card of one agent. Each one replaces the key of the card as a whole. */
export interface AgentOverrides {
  /** Model ids in fallback order. */
  readonly model?: readonly string[]
  readonly settings?: ModelSettings
}

/**
 * Everything needed to start a run. Plain JSON, so that a run can start in this process or on another
 * machine.
 */
export interface RunRequest {
  readonly runId: string
  readonly rootRunId: string
  readonly parentRunId?: string
  /** The call of the parent that opened this run. */
  readonly site?: CallSite
  readonly agent: { readonly name: string; readonly digest: string }
  /** `NAME` for a root run, `NAME[i]` for a child run. */
  readonly instance: string
  readonly input: string
  /** The values that fill in the prompt, if it is a template. */
  readonly values?: JsonObject
  /** Files that belong to the input. */
  readonly attachments?: readonly Attachment[]
  /** Output format requested by the caller, instead of the agent's own. */
  readonly output?: OutputContract
  /** Messages that the conversation starts with. */
  readonly history?: readonly Message[]
  /** Set if the caller sent `history` along, so that guards check it like the input. */
  readonly callerHistory?: true
  /**
   * Id of the root run whose conversation this one continues. `history` is then read from that stored run and
   * not stored again.
   */
  readonly continues?: string
  /**
   * Set if the agent is a composition. A continued conversation then consists of its input and its answer.
   */
  readonly composed?: true
  /** Ancestors from the root run to the parent. */
  readonly ancestry: readonly Ancestor[]
  /** Remaining active time in ms, without waits for approvals. Default: no limit. */
  readonly remainingMs?: number
  readonly sessionId: string
  readonly principal: string
  /**
   * For a root run, also when it is resumed: set if there is no approver, so tools that need an approval are
   * not offered.
   */
  readonly headless?: true
  /** For a root run, also when it is resumed. */
  readonly team?: TeamOverrides
  /** For a root run: its priority in queues, and that of all runs below it. Default: 100. */
  readonly priority?: number
  /** For a root run: the tools of its client. */
  readonly clientTools?: ClientTools
  /** For a root run: the instructions of its client, which follow those of the agent. */
  readonly clientInstructions?: string
  /** Data that the caller of the root run stores with it. */
  readonly note?: JsonObject
  /** Trace context of the caller of the root run. */
  readonly traceContext?: TraceContext
}

/** The result of a run. Failures are values, so a run never rejects. */
export interface RunResult extends RunProblems {
  readonly runId: string
  readonly agent: string
  readonly outcome: Outcome
  readonly text: string
  readonly value?: Json
  /** Files of the answer. */
  readonly files?: readonly OutputFile[]
  /** Web pages that the provider of the model cites in the text. */
  readonly citations?: readonly Citation[]
  readonly failure?: Failure
  /** Usage of the run and everything below it. */
  readonly usage: Usage
  /** Usage of each agent by itself. The rows sum to `usage`. */
  readonly byAgent: Readonly<Record<string, Usage>>
  /** Called models whose price is not known. */
  readonly unpriced: readonly string[]
  /** Messages of the run after its history. */
  readonly messages: readonly Message[]
  /** Messages that the parent appends after its tool results in history mode `fork_and_merge`. */
  readonly merge?: readonly Message[]
  /** Wall time from the first start of the run to its end, in ms. */
  readonly durationMs: number
  /** The part of `durationMs` in which the run was active, in ms. */
  readonly activeMs: number
}

/** Creates the result of a run that was refused before it started and used nothing. */
export function refusedRun(request: RunRequest, reason: Failure): RunResult {
  return {
    runId: request.runId,
    agent: request.agent.name,
    outcome: outcomeOf(reason),
    text: '',
    failure: reason,
    usage: NO_USAGE,
    byAgent: {},
    unpriced: [],
    messages: [],
    ...NO_PROBLEMS,
    durationMs: 0,
    activeMs: 0,
  }
}

/** A request for a child run. */
export interface ChildCall {
  readonly site: CallSite
  readonly attempt: number
  /** The single user message of the child run. */
  readonly input: string
  /** The values that fill in the prompt of the child, if it is a template. */
  readonly values?: JsonObject
  /** Output format of the child instead of its own. */
  readonly output?: OutputContract
}

/**
 * Operations of a tool or composition within its run. Implemented by core, so that no caller can skip its
 * checks.
 */
export interface RunContext {
  readonly request: RunRequest
  readonly depth: number
  /** Messages before the answer that contains the current calls. A fork may copy them. */
  readonly history: readonly Message[]
  /** Hook state with scope `root`, shared by all runs of the tree. */
  readonly rootState: Map<string, unknown>
  /** Returns a variable of the session's environment. */
  env(name: string): string | undefined
  /**
   * Opens a child run and waits for its end. Handles identity, cycle and depth checks, run count, deadline,
   * history, cancellation and usage. `limits.childTimeout` and `historyMode` are those of the calling agent.
   * Never rejects.
   */
  child(agent: { readonly name: string; readonly digest: string }, call: ChildCall): Promise<RunResult>
  /** Emits a `log` event. */
  log(text: string, data?: JsonObject | Json): void
}
