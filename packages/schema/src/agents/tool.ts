import type { JsonObject, MaybePromise } from '../text/json.ts'
import type { Failure } from '../errors/errors.ts'
import type { CancellationToken } from '../values/clock.ts'
import type { Message } from '../values/message.ts'
import type { PersonAnswer, Question } from '../values/question.ts'
import type { TraceContext } from '../values/trace-context.ts'
import type { RuleArgument } from './permission.ts'
import type { RunContext } from './run.ts'

/** Sources of tools. */
export const TOOL_SOURCES = ['mcp', 'function', 'agent', 'runtime', 'client', 'provider'] as const

/** See {@link TOOL_SOURCES}. */
export type ToolSource = (typeof TOOL_SOURCES)[number]

/**
 * Decides what a resume does with a call that started and did not end. `read` and `idempotent` calls run
 * again, the latter with the same idempotency key. For a `once` call the model is informed that the outcome
 * is unknown.
 */
export type ToolEffect = 'read' | 'idempotent' | 'once'

/** A callable tool. MCP, function, agent, runtime, client and provider tools all have this form. */
export interface ToolDefinition {
  /** Canonical name, used by hooks, events, rules and accounts. */
  readonly name: string
  /** Name that the model sees. Unique within an agent. */
  readonly wireName: string
  /** Kind of tool. */
  readonly source: ToolSource
  /**
   * Server of the tool: the MCP server, `agent` for agents, `runtime` for built-in tools, `client` for tools of
   * the client, `provider` for tools of the model's provider. Absent for functions.
   */
  readonly server?: string
  /** Name of the agent behind an agent tool. Its instances are named after it. */
  readonly agent?: string
  /** Text that the model reads. */
  readonly description: string
  /** JSON Schema of the arguments, type object. Compiled validators are cached by this object. */
  readonly inputSchema: JsonObject
  /**
   * Schema that arguments are validated against, if the tool accepts more than `inputSchema` shows to models.
   */
  readonly acceptedSchema?: JsonObject
  /** Text that is added to the system prompt of agents with this tool. */
  readonly instructions?: string
  /** Decides if a call may be repeated. */
  readonly effect: ToolEffect
  /** True if the result of a successful call is the answer of the agent, which then ends. */
  readonly answersRun?: true
  /**
   * Returns the tool that a call with these arguments stands for. Rules, hooks and events then apply to that
   * tool.
   */
  resolve?(args: JsonObject): ToolDefinition
  /**
   * True if calls require approval. A function decides by the arguments of each call; only `false` lets a call
   * through without approval.
   */
  readonly requiresApproval?: boolean | ((args: JsonObject) => MaybePromise<boolean>)
  /** Capabilities declared by its author, its server or the configuration; `undefined` if not known. */
  readonly capabilities?: readonly ToolCapability[]
  /**
   * Arguments that permission rules read as a command, a path or normalized text, by the name used in rules.
   * All others are compared as written.
   */
  readonly ruleArguments?: Readonly<Record<string, RuleArgument>>
  /** Time limit in ms. Default: `limits.toolTimeout`. Agent tools use the time limit of the child run. */
  readonly timeoutMs?: number
  /**
   * Runs the tool. May return a ToolResult, an MCP result, `{type: 'json'|'text', value}`, or any value,
   * which becomes text or JSON for the model. May throw, which becomes a failed result. Should end when
   * `ctx.signal` aborts; otherwise it is abandoned.
   */
  execute(args: JsonObject, ctx: ToolContext): unknown
}

/** Tools that are listed when a session opens. */
export interface ToolLister {
  /** Returns all tools. Called once per session. If it rejects, the run fails with that reason. */
  list(): Promise<readonly ToolDefinition[]>
}

/**
 * Position of a call in a run. `ordinal` is the index of the call in the model's answer. It identifies the
 * call, because provider ids may be empty or repeat.
 */
export interface CallSite {
  readonly turn: number
  readonly ordinal: number
  /** Id of the call in events. Unique within its run. */
  readonly callId: string
  /** Id of the call in the conversation with the model. */
  readonly toolUseId: string
  /** Set if a composition started the child run, so that there is no call of a tool for it. */
  readonly isDelegated?: true
  /** The `i` in the instance name `NAME[i]` of the child run. Counts the child calls of the turn, from 1. */
  readonly instanceIndex?: number
}

/** Context of a tool call, in addition to its arguments. */
export interface ToolContext {
  /** Position of the call in the run. */
  readonly site: CallSite
  /** 1 for the first call of the tool at this site, 2 and more for calls repeated by a hook. */
  readonly attempt: number
  /** The run that makes the call: its variables, log and history. */
  readonly run: RunContext
  /** Aborts at the deadline of the call and when the run ends. Created on first access. */
  readonly signal: AbortSignal
  /** The same as `signal`, but cheaper for tools that are called very often. */
  readonly stop?: CancellationToken
  /** Key that stays the same when a resumed run repeats the call. */
  readonly idempotencyKey: string
  /** Emits a progress event. */
  progress(text: string): void
  /**
   * Asks a person a question. All deadlines are paused meanwhile, for at most `limits.approvalTimeout`. Never
   * rejects.
   */
  ask(question: Question): Promise<PersonAnswer>
  /**
   * Calls the first model of the agent for an MCP server, within the budget of the run and outside of its conversation.
   * Only present for tools of MCP servers, in runs that are neither recorded nor replayed. Never rejects.
   */
  readonly sample?: ((request: SampleRequest) => Promise<SampleAnswer>) | undefined
  /** Trace context of the call, for requests that the tool sends. `undefined` if the run is not traced. */
  readonly traceContext?: TraceContext | undefined
}

/** A model call that an MCP server requests. */
export interface SampleRequest {
  readonly system: string
  readonly messages: readonly Message[]
  readonly maxOutputTokens: number
}

/** The answer to a {@link SampleRequest}, or the failure of the model call. */
export type SampleAnswer =
  | { readonly text: string; readonly model: string; readonly finishReason: string }
  | { readonly failure: Failure }

/**
 * Capabilities of tools that matter for security. With the first three, untrusted content that an agent reads
 * can exfiltrate private data, so `troupe check` looks for that combination.
 */
export const TOOL_CAPABILITIES = ['reads_private', 'reads_untrusted', 'egress', 'destructive'] as const

/** See {@link TOOL_CAPABILITIES}. */
export type ToolCapability = (typeof TOOL_CAPABILITIES)[number]
