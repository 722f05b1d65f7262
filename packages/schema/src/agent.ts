import type { LoopHooks, ToolHook } from './hook.ts'
import type { Json, JsonObject } from './json.ts'
import type { ToolInputSchema } from './json-schema/json-schema.ts'
import type { Limits } from './limits.ts'
import type { PermissionRules } from './permission.ts'
import type { ToolDefinition } from './tool.ts'
import type { ToolCapability } from './tool-capability.ts'

/** The types of agent (R20). */
export const AGENT_TYPES = [
  'agent',
  'chain',
  'parallel',
  'router',
  'orchestrator',
  'evaluator_optimizer',
] as const
/** See {@link AGENT_TYPES}. */
export type AgentType = (typeof AGENT_TYPES)[number]

/** What an agent is served as (D1). */
export const AGENT_MODES = ['interactive', 'autonomous', 'tools'] as const
/** See {@link AGENT_MODES}. */
export type AgentMode = (typeof AGENT_MODES)[number]

/** What a child sees of its parent's conversation (R9). */
export const HISTORY_MODES = ['scratch', 'fork', 'fork_and_merge'] as const
/** See {@link HISTORY_MODES}. */
export type HistoryMode = (typeof HISTORY_MODES)[number]

/** Tools that Troupe itself brings. */
export const RUNTIME_TOOLS = ['shell', 'filesystem', 'human', 'skills', 'shared'] as const
/** See {@link RUNTIME_TOOLS}. */
export type RuntimeTool = (typeof RUNTIME_TOOLS)[number]

/** How hard a model thinks. */
export const REASONING_LEVELS = [
  'provider-default',
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
] as const
/** See {@link REASONING_LEVELS}. */
export type ReasoningLevel = (typeof REASONING_LEVELS)[number]

/** A level, or a budget of so many tokens. */
export type Reasoning = ReasoningLevel | number

/** Settings of every model call. What is not set is left to the provider. */
export interface ModelSettings {
  readonly temperature?: number
  readonly topP?: number
  readonly maxOutputTokens?: number
  readonly reasoning?: Reasoning
  readonly stopSequences?: readonly string[]
}

/** The form of what an agent takes or gives (C25, C26). A schema is plain JSON Schema. */
export interface InputContract {
  readonly format: 'text' | 'json'
  readonly schema?: JsonObject
}
/** See {@link InputContract}. */
export interface OutputContract {
  readonly format: 'text' | 'markdown' | 'json'
  readonly schema?: JsonObject
}

/** How to log in to a server at an address that asks for it (OAuth 2.1). Everything is optional: most servers say what they need. */
export interface McpServerAuth {
  /** Of a client that was registered by hand with the authorization server. */
  readonly clientId?: string
  readonly clientSecret?: string
  /** The https address of a client id metadata document, for authorization servers that take one. */
  readonly clientMetadataUrl?: string
  /** What to ask for, in place of what the server names. */
  readonly scope?: string
  /** The port of 127.0.0.1 that the browser comes back to. None: any that is free. */
  readonly redirectPort?: number
}

/** The definition of one MCP server: a process (`command`) or an address (`url`). `${VAR}` may stand anywhere in its text. */
export interface McpServerConfig {
  /** What `command` or `url` says already; `sse` names the older HTTP transport. */
  readonly type?: 'stdio' | 'http' | 'sse' | 'streamable-http'
  readonly command?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly auth?: McpServerAuth
  /** True: two more tools, by which the model lists and reads the resources of the server. */
  readonly resources?: boolean
  /** False: every session gets a connection of its own (R1). */
  readonly shared?: boolean
  /** True: no agent gets its tools. */
  readonly disabled?: boolean
  readonly requiresApproval?: boolean | readonly string[]
  /** What its tools read and where they can send, beside what they say themselves. */
  readonly capabilities?: readonly ToolCapability[]
  /** In ms. */
  readonly toolTimeout?: number
  /** In ms, for it to start and answer. */
  readonly startTimeout?: number
  /** Calls under way at once; more wait in order. */
  readonly maxParallel?: number
  /** False: a run whose server cannot be had goes on without its tools, with a warning. */
  readonly required?: boolean
}

/** Which tools an agent gets: by server (servers not named stay whole, an empty list is none), or one list of canonical names and globs for all. */
export interface ToolFilter {
  readonly servers?: Readonly<Record<string, readonly string[]>>
  readonly allow?: readonly string[]
}

/** A stock hook by name with its options. */
export interface StockHookUse {
  readonly use: string
  readonly [option: string]: Json
}

/** A function tool with how it is to run. */
export interface FunctionToolUse {
  /** `module.ts:function`. */
  readonly use: string
  /** In a thread of its own: for functions that block. */
  readonly worker?: boolean
  /** Variables that a function in a worker may read. */
  readonly env?: readonly string[]
}

/** Loop hooks as a card names them: `module.ts:function`. */
export type LoopHookSpecs = { readonly [K in keyof LoopHooks]?: string | NonNullable<LoopHooks[K]> }

/** A tool that an agent itself offers over MCP (D4). */
export interface AgentTool {
  readonly name: string
  readonly description: string
  readonly parameters: ToolInputSchema
  readonly prompt: string
  /** Of this tool; none: that of the agent. */
  readonly version?: string
  /** It should not be used any more, and why; it goes on working. */
  readonly deprecated?: boolean | string
  /** Other tools of the agent, by name, that are called before it in the same conversation, in this order. */
  readonly needs?: readonly (string | NeededTool)[]
  /** It is refused to callers that cannot ask a person. */
  readonly needsPerson?: boolean
  /** It is also offered as two tools, one that starts it and one that asks for its answer. */
  readonly background?: boolean
  /** A complete answer is given again, for `ttl` ms. */
  readonly cache?: {
    readonly ttl: number
    /** A template like `prompt`: calls that fill it alike have one answer. None: those with the same arguments. */
    readonly key?: string
  }
  /** Of each call, beside those of the agent. */
  readonly limits?: AgentToolLimits
}

/** A tool that another one needs, and the version that it must have at least (of the same major). */
export interface NeededTool {
  readonly tool: string
  readonly version: string
}

/** What a call of a tool that an agent offers may take; none: no limit of its own. */
export interface AgentToolLimits {
  /** In ms. */
  readonly timeout?: number
  /** In USD. */
  readonly maxCost?: number
  /** Tokens in and out. */
  readonly maxTokens?: number
  /** Calls at once. */
  readonly maxParallel?: number
  /** Calls begun in any 60 s. */
  readonly maxPerMinute?: number
  /** Characters of the filled prompt; default 4 Mi. */
  readonly maxPrompt?: number
}

/** A skill of an autonomous agent (A2A). */
export interface AgentSkill {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly tags?: readonly string[]
  readonly examples?: readonly string[]
}

/** The parts of a composition, by type (R20). */
export interface Composition {
  readonly sequence?: readonly string[]
  /** True: each agent of a chain reads the request and all answers before its own. */
  readonly cumulative?: boolean
  readonly fanOut?: readonly string[]
  readonly fanIn?: string
  /** False: the agent of `fanIn` reads the results alone. */
  readonly includeRequest?: boolean
  /** -1: as many as `limits.maxTurns` allows. */
  readonly planIterations?: number
  readonly generator?: string
  readonly evaluator?: string
  /** A word of the scale or a number, as text. */
  readonly minRating?: string
  readonly maxRefinements?: number
  /** What the generator is told beside the feedback. */
  readonly refinementInstruction?: string
}

/** Where a definition was written. Relative paths in it resolve against `folder`. */
export interface AgentSource {
  readonly kind: 'file' | 'code' | 'url'
  /** The file or address; for code, a word for messages. */
  readonly path: string
  readonly folder?: string
  /** How messages name limits that are not set in the card, by key: `--set limits.maxTokens`. */
  readonly limitNames?: Readonly<Record<string, string>>
}

/** One agent, complete and immutable: what every session of it is opened from. */
export interface AgentDefinition {
  readonly name: string
  /** SHA-256 over everything but `source`: two definitions with one digest are the same agent. */
  readonly digest: string
  readonly source: AgentSource
  readonly description?: string
  readonly usage?: string
  readonly version: string
  readonly type: AgentType
  readonly mode: AgentMode
  readonly default: boolean
  readonly hidden: boolean
  /** In order of fallback; empty: the configured default. */
  readonly model: readonly string[]
  readonly settings: ModelSettings
  readonly toolName?: string
  readonly input: InputContract
  readonly output: OutputContract
  /** Children: names, paths, globs, or definitions (code only). */
  readonly agents: readonly (string | AgentDefinition)[]
  readonly servers: readonly string[]
  readonly mcpServers: Readonly<Record<string, McpServerConfig>>
  readonly tools: ToolFilter
  /** `module.ts:function`, alone or with `worker`; or tools (code only). */
  readonly functionTools: readonly (string | FunctionToolUse | ToolDefinition | AnyFunction)[]
  readonly toolHooks: readonly (string | StockHookUse | ToolHook)[]
  readonly loopHooks: LoopHookSpecs
  readonly exports: { readonly tools: readonly AgentTool[]; readonly skills: readonly AgentSkill[] }
  /** Folders with SKILL.md. */
  readonly skills: readonly string[]
  readonly limits: Limits
  /** The limits that the author set; the rest of `limits` are defaults that a configuration may replace. */
  readonly ownLimits: readonly (keyof Limits)[]
  readonly historyMode: HistoryMode
  readonly toolPermission: 'always' | 'tool' | 'never'
  readonly requiresApproval: readonly string[]
  readonly permissions: PermissionRules
  readonly runtimeTools: readonly RuntimeTool[]
  readonly toolPrefix: boolean | string
  readonly instruction: string
  readonly store: 'none' | 'metadata' | 'full'
  readonly context: {
    readonly strategy: 'trim' | 'summarise' | 'fail'
    /** The share of the model's window from which on the conversation is shortened; default 0.8. */
    readonly threshold?: number
    /** Turns of the model that stay whole at its end; default 6. */
    readonly keepTurns?: number
    /** Writes the summary; none: the agent's own. */
    readonly model?: string
  }
  readonly composition: Composition
  readonly acquire: { readonly kind: 'fresh' } | { readonly kind: 'pool'; readonly size: number }
  readonly display: { readonly maxInstances: number }
  /** Variables that the agent needs. */
  readonly env: readonly string[]
}

/** A function given as a tool: its arguments are one object. */
export type AnyFunction = (args: never, ...rest: never[]) => unknown
