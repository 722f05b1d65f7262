import type { JsonObject } from './json.ts'
import type { RuleArgument } from './permission.ts'
import type { StopSource } from './ports/run-executor.ts'
import type { PersonAnswer, Question } from './question.ts'
import type { RunContext } from './run-context.ts'
import type { ToolCapability } from './tool-capability.ts'

/** Where a tool comes from (B31). */
export const TOOL_SOURCES = ['mcp', 'function', 'agent', 'runtime'] as const

/** See {@link TOOL_SOURCES}. */
export type ToolSource = (typeof TOOL_SOURCES)[number]

/** What a resume may do with a call that started and did not end: run it again (`read`; `idempotent` with the same key) or tell the model that its outcome is unknown (`once`). */
export type ToolEffect = 'read' | 'idempotent' | 'once'

/** A tool ready to be called: the one form for MCP, function, agent and runtime tools. */
export interface ToolDefinition {
  /** The canonical name (R2): what hooks, events, rules and accounts see. */
  readonly name: string
  /** The name the model sees. Unique in one agent. */
  readonly wireName: string
  readonly source: ToolSource
  /** The server it belongs to: the MCP server, `agent` for agents, `runtime` for built-in ones, none for functions. */
  readonly server?: string
  /** The agent behind an agent tool; names its instances. */
  readonly agent?: string
  readonly description: string
  /** JSON Schema of the arguments, type object. Its identity is the key of the compiled validator. */
  readonly inputSchema: JsonObject
  /** What arguments are checked against, where the tool takes more than `inputSchema` tells models. */
  readonly acceptedSchema?: JsonObject
  /** Added to the system prompt of an agent that has the tool (C38). */
  readonly instructions?: string
  readonly effect: ToolEffect
  readonly requiresApproval?: boolean
  /** Said by its author, its server or the configuration; none: nothing is known. */
  readonly capabilities?: readonly ToolCapability[]
  /** Arguments that permission rules read as a command or a path, by the name that rules use. All others are compared as text. */
  readonly ruleArguments?: Readonly<Record<string, RuleArgument>>
  /** Own time limit in ms. None: `limits.toolTimeout`. Agent tools are timed by their child. */
  readonly timeoutMs?: number
  /**
   * Does the work. May return a ToolResult, an MCP result, `{type: 'json'|'text', value}`, or any value (text or JSON for the model).
   * May throw: that becomes a failed result. Should end when `ctx.signal` aborts; is abandoned when it does not.
   */
  execute(args: JsonObject, ctx: ToolContext): unknown
}

/** Tools that are only known when they are asked for (C33). */
export interface ToolLister {
  /** All of them; called once for a session. May reject: the run then fails with that reason. */
  list(): Promise<readonly ToolDefinition[]>
}

/** One place in one run. `ordinal` is the position of the call in the model's answer: provider ids may repeat or be empty, ordinals cannot. */
export interface CallSite {
  readonly turn: number
  readonly ordinal: number
  /** The id of the call in events: unique in its run. */
  readonly callId: string
  /** The id the call has in the conversation with the model. */
  readonly toolUseId: string
  /** `NAME[i]` for a child opened here: i counts the child calls of the turn from 1 (A64). */
  readonly instanceIndex?: number
}

/** What a tool gets beside its arguments. */
export interface ToolContext {
  readonly site: CallSite
  /** 1 for the first call of the tool at this site; a hook that calls again gets 2, 3, … */
  readonly attempt: number
  readonly run: RunContext
  /** Aborts at the deadline of the call and when the run ends. Made when first read. */
  readonly signal: AbortSignal
  /** The same as `signal`, for tools that are called so often that its cost counts. */
  readonly stop?: StopSource
  /** Stays the same when a resumed run repeats the call. */
  readonly idempotencyKey: string
  /** Tells watchers how far the work is. */
  progress(text: string): void
  /** Asks the person the run works for. All clocks stand still meanwhile, for `limits.approvalTimeout` at most. Never rejects. */
  ask(question: Question): Promise<PersonAnswer>
}
