import type { Json, JsonObject } from '../text/json.ts'
import type { GuardSpecs } from './guard.ts'
import type { LoopHooks, ToolHook } from './hook.ts'
import type { ToolInputSchema } from './json-schema.ts'
import type { Limits } from './limits.ts'
import type { PermissionRules } from './permission.ts'
import type { ToolCapability, ToolDefinition } from './tool.ts'

/** Agent types. */
export const AGENT_TYPES = [
  'agent',
  'chain',
  'parallel',
  'router',
  'orchestrator',
  'evaluator_optimizer',
  'voting',
] as const
/** See {@link AGENT_TYPES}. */
export type AgentType = (typeof AGENT_TYPES)[number]

/** Ways in which a voting agent compares answers. */
export const MATCH_STRATEGIES = ['exact', 'normalized', 'structured'] as const

/** Modes in which an agent is served. */
export const AGENT_MODES = ['interactive', 'autonomous', 'tools'] as const
/** See {@link AGENT_MODES}. */
export type AgentMode = (typeof AGENT_MODES)[number]

/** Parts of the parent's conversation that a child run can see. */
export const HISTORY_MODES = ['scratch', 'fork', 'fork_and_merge'] as const
/** See {@link HISTORY_MODES}. */
export type HistoryMode = (typeof HISTORY_MODES)[number]

/** Names of the built-in tool groups. */
export const RUNTIME_TOOLS = [
  'shell',
  'filesystem',
  'human',
  'skills',
  'shared',
  'fetch',
  'search',
  'todo',
  'memory',
] as const
/** Tools that the provider of a model executes itself. */
export const PROVIDER_TOOLS = ['web_search', 'web_fetch', 'code_execution'] as const

/** See {@link PROVIDER_TOOLS}. */
export type ProviderTool = (typeof PROVIDER_TOOLS)[number]

/** See {@link RUNTIME_TOOLS}. */
export type RuntimeTool = (typeof RUNTIME_TOOLS)[number]

/** Reasoning effort levels of models. */
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

/** A reasoning level, or a budget in tokens. */
export type Reasoning = ReasoningLevel | number

/** Settings of every model call. Unset ones use the provider's default. */
export interface ModelSettings {
  readonly temperature?: number
  readonly topP?: number
  readonly maxOutputTokens?: number
  readonly reasoning?: Reasoning
  readonly stopSequences?: readonly string[]
}

/** Format of the input of an agent, with an optional JSON Schema. */
export interface InputContract {
  readonly format: 'text' | 'json'
  readonly schema?: JsonObject
  /** First message of a run that was started without a text. */
  readonly message?: string
  /** Set if the prompt and `message` are templates, filled with the values of the input. */
  readonly template?: 'jinja'
}
/** Format of the output of an agent, with an optional JSON Schema. */
export interface OutputContract {
  readonly format: 'text' | 'markdown' | 'json'
  readonly schema?: JsonObject
  /** True to add the files that the tools and children of the agent returned to its answer. */
  readonly files?: boolean
}

/**
 * OAuth 2.1 settings for a remote MCP server. All are optional, because most servers announce what they need.
 */
export interface McpServerAuth {
  /** Id of a client that was registered manually with the authorization server. */
  readonly clientId?: string
  readonly clientSecret?: string
  /** HTTPS URL of a client id metadata document, for authorization servers that accept one. */
  readonly clientMetadataUrl?: string
  /** Scope to request instead of the one that the server announces. */
  readonly scope?: string
  /** Port on 127.0.0.1 for the redirect of the browser. Default: any free port. */
  readonly redirectPort?: number
}

/**
 * The definition of one MCP server: a process (`command`) or a URL (`url`). `${VAR}` is expanded anywhere in
 * its text.
 */
export interface McpServerConfig {
  /** Transport. Only needed for `sse`, the older HTTP transport; otherwise `command` or `url` decides. */
  readonly type?: 'stdio' | 'http' | 'sse' | 'streamable-http'
  readonly command?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly auth?: McpServerAuth
  /** True to add two tools with which the model lists and reads the resources of the server. */
  readonly resources?: boolean
  /** `allow` to let the server use the first model of the agent that calls it. Default: `deny`. */
  readonly sampling?: 'allow' | 'deny'
  /** Folders that the server can list, relative to that of the definition. */
  readonly roots?: readonly string[]
  /** False to open a separate connection for every session. */
  readonly shared?: boolean
  /** True to give the server's tools to no agent. */
  readonly disabled?: boolean
  readonly requiresApproval?: boolean | readonly string[]
  /** Capabilities of its tools, in addition to those that the tools declare. */
  readonly capabilities?: readonly ToolCapability[]
  /** Time limit of a call in ms. */
  readonly toolTimeout?: number
  /** Time limit in ms for the server to start and answer. */
  readonly startTimeout?: number
  /** Maximum number of concurrent calls. Further calls wait in order. */
  readonly maxParallel?: number
  /** False to run without the server's tools, with a warning, if the server is not available. */
  readonly required?: boolean
}

/**
 * Tools that an agent gets: by server (an unlisted server keeps all its tools, an empty list removes them),
 * or one list of canonical names and globs for all.
 */
export interface ToolFilter {
  readonly servers?: Readonly<Record<string, readonly string[]>>
  readonly allow?: readonly string[]
}

/** A stock hook with its options. */
export interface StockHookUse {
  readonly use: string
  readonly [option: string]: Json
}

/** A function tool with options. */
export interface FunctionToolUse {
  /** `module.ts:function`. */
  readonly use: string
  /** True to run the function in a worker thread, for functions that block. */
  readonly worker?: boolean
  /** Environment variables that the function may read in a worker. */
  readonly env?: readonly string[]
}

/** Loop hooks as written in a card: `module.ts:function`. */
export type LoopHookSpecs = { readonly [K in keyof LoopHooks]?: string | NonNullable<LoopHooks[K]> }

/** A function tool that sends an HTTP request, such as a call of a REST API. */
export interface HttpToolUse {
  readonly use: 'troupe:http'
  readonly name: string
  readonly description: string
  /** Default: `GET`. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Address. `${parameters.x}` stands for an argument after the host, `${NAME}` for a variable. */
  readonly url: string
  /** Query parameters. One that is only an argument is left out without it, and repeated for a list. */
  readonly query?: Readonly<Record<string, string>>
  /** Headers. One that is only an argument is left out without it. */
  readonly headers?: Readonly<Record<string, string>>
  /** JSON Schema of the arguments. Default: no arguments. */
  readonly parameters?: JsonObject
  /**
   * JSON body. A text that is only `${parameters.x}` becomes the value of the argument. A body that is only an
   * argument is left out without it.
   */
  readonly body?: Json
  /** How to read an answer that consists of lines of JSON. */
  readonly lines?: {
    /** Start of each line, such as `data:`. */
    readonly prefix?: string
    /** Key that holds the kind of a line. */
    readonly kind: string
    /** Kind of a line with a part of the answer, and the key that holds the part. */
    readonly part?: { readonly kind: string; readonly key: string }
    /** Kind of the line with the whole answer, and the key that holds it. */
    readonly end?: { readonly kind: string; readonly key: string }
  }
}

/** A tool that an agent exports over MCP. */
export interface AgentTool {
  readonly name: string
  readonly description: string
  readonly parameters: ToolInputSchema
  readonly prompt: string
  /** Version of the tool. Default: the version of the agent. */
  readonly version?: string
  /** True or a reason if the tool is deprecated. It still works. */
  readonly deprecated?: boolean | string
  /**
   * Names of other tools of the agent that are called automatically before this one, in this order and in the
   * same conversation.
   */
  readonly needs?: readonly (string | NeededTool)[]
  /** True to refuse callers that cannot ask a person. */
  readonly needsPerson?: boolean
  /** True to also offer two tools that start the call and fetch its answer. */
  readonly background?: boolean
  /** Caches complete answers for `ttl` ms. */
  readonly cache?: {
    readonly ttl: number
    /** Template like `prompt`; calls that render the same text share an answer. Default: the arguments. */
    readonly key?: string
  }
  /** Limits of each call, in addition to those of the agent. */
  readonly limits?: AgentToolLimits
}

/** A tool that another tool depends on, with its minimum version (same major). */
export interface NeededTool {
  readonly tool: string
  readonly version: string
}

/** Limits of calls of an exported tool. Default of each: no limit. */
export interface AgentToolLimits {
  /** Time limit in ms. */
  readonly timeout?: number
  /** Maximum cost in USD. */
  readonly maxCost?: number
  /** Maximum number of input and output tokens. */
  readonly maxTokens?: number
  /** Maximum number of concurrent calls. */
  readonly maxParallel?: number
  /** Maximum number of calls started within any 60 s. */
  readonly maxPerMinute?: number
  /** Maximum length of the rendered prompt in characters. Default: 4 Mi. */
  readonly maxPrompt?: number
}

/** How a child is offered to its parent as a tool. */
export interface ChildTool {
  /** Name of the tool. Default: that of the child. */
  readonly name?: string
  /** Description of the tool. Default: that of the child. */
  readonly description?: string
  /** Values that the input of the child always has. The model does not see them. */
  readonly input?: JsonObject
}

/** A skill whose text is part of the card. */
export interface InlineSkill {
  readonly name: string
  /** When to use the skill. */
  readonly description: string
  readonly text: string
}

/** An A2A skill of an autonomous agent. */
export interface AgentSkill {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly tags?: readonly string[]
  readonly examples?: readonly string[]
}

/** Ways to treat a firing while a run of the schedule has not ended: skip it, start it afterwards, start it anyway. */
export const SCHEDULE_OVERLAPS = ['skip', 'queue', 'allow'] as const
/** Firings that a schedule makes up for if no server was running when they were due. */
export const SCHEDULE_CATCH_UPS = ['none', 'last', 'all'] as const

/** Times at which a server starts a run of the agent by itself. */
export interface AgentSchedule {
  /** Default: the name of the agent. */
  readonly name?: string
  /** Cron expression with five fields. */
  readonly cron: string
  /** IANA time zone in which the expression is read. Default: UTC. */
  readonly timeZone?: string
  /** Input of the runs. Default: an empty message. */
  readonly input?: string | JsonObject
  /** Default: `skip`. */
  readonly overlap?: (typeof SCHEDULE_OVERLAPS)[number]
  /** Default: `none`. */
  readonly catchUp?: (typeof SCHEDULE_CATCH_UPS)[number]
  /** Priority of the runs: an integer from 1 to 1000, lower first. Default: 100. */
  readonly priority?: number
}

/** The settings of a composition, depending on its type. */
export interface Composition {
  readonly sequence?: readonly string[]
  /** True: each agent of a chain reads the request and all previous answers. */
  readonly cumulative?: boolean
  /** Agents that run on the request, at once: in place of a model, or as advisors of an ordinary agent. */
  readonly fanOut?: readonly string[]
  /** Agent that reads the results, or the answer of an ordinary agent, and writes the final answer. */
  readonly fanIn?: string
  /** Agents that the model of an ordinary agent can hand the request over to. */
  readonly handoffs?: readonly string[]
  /** False: the agent of `fanIn` reads only the results. */
  readonly includeRequest?: boolean
  /** Maximum number of planning steps; -1 for as many as `limits.maxTurns` allows. */
  readonly planIterations?: number
  readonly generator?: string
  readonly evaluator?: string
  /** A rating of the scale, or a number as text. */
  readonly minRating?: string
  readonly maxRefinements?: number
  /** Instruction for the generator in addition to the feedback. */
  readonly refinementInstruction?: string
  /** The agent of a voting agent, which answers several times. */
  readonly worker?: string
  /** Votes by which an answer must lead all others. */
  readonly minLead?: number
  readonly maxSamples?: number
  readonly matchStrategy?: (typeof MATCH_STRATEGIES)[number]
  /** Characters of the longest answer that counts. Default: no limit. */
  readonly maxSampleLength?: number
}

/** The origin of a definition. Relative paths in it are resolved against `folder`. */
export interface AgentSource {
  readonly kind: 'file' | 'code' | 'url'
  /** File path or URL; for code, a description for messages. */
  readonly path: string
  readonly folder?: string
  /** Names for messages of limits that were not set in the card, by key: `--set limits.maxTokens`. */
  readonly limitNames?: Readonly<Record<string, string>>
}

/** One agent, complete and immutable. Every session of the agent is opened from it. */
export interface AgentDefinition {
  readonly name: string
  /** SHA-256 of everything except `source`. Two definitions with the same digest are the same agent. */
  readonly digest: string
  readonly source: AgentSource
  readonly description?: string
  readonly usage?: string
  readonly version: string
  readonly type: AgentType
  readonly mode: AgentMode
  readonly default: boolean
  readonly hidden: boolean
  /** Models in fallback order; empty for the configured default. */
  readonly model: readonly string[]
  readonly settings: ModelSettings
  readonly toolName?: string
  readonly input: InputContract
  readonly output: OutputContract
  /** Child agents: names, paths, globs or, in code, definitions. */
  readonly agents: readonly (string | AgentDefinition)[]
  /** How children are offered as tools, by entry of `agents`. */
  readonly agentTools: Readonly<Record<string, ChildTool>>
  readonly servers: readonly string[]
  readonly mcpServers: Readonly<Record<string, McpServerConfig>>
  readonly tools: ToolFilter
  /** `module.ts:function`, alone or with options; in code also tools and functions. */
  readonly functionTools: readonly (string | FunctionToolUse | HttpToolUse | ToolDefinition | AnyFunction)[]
  /** `deny` if the client of a root run may not offer tools of its own. Default: `allow`. */
  readonly clientTools?: 'allow' | 'deny'
  /** Tools that the provider of the model executes itself. Default: none. */
  readonly providerTools?: readonly ProviderTool[]
  readonly toolHooks: readonly (string | StockHookUse | ToolHook)[]
  readonly loopHooks: LoopHookSpecs
  /** Checks of what the agent reads and writes. Default: none. */
  readonly guard?: GuardSpecs
  readonly exports: { readonly tools: readonly AgentTool[]; readonly skills: readonly AgentSkill[] }
  /** Folders with a SKILL.md, and skills whose text is part of the card. */
  readonly skills: readonly (string | InlineSkill)[]
  readonly limits: Limits
  /** Limits set by the author. The others in `limits` are defaults, which a configuration may replace. */
  readonly ownLimits: readonly (keyof Limits)[]
  readonly historyMode: HistoryMode
  readonly toolPermission: 'always' | 'tool' | 'never'
  readonly requiresApproval: readonly string[]
  readonly permissions: PermissionRules
  readonly runtimeTools: readonly RuntimeTool[]
  /** Folder of the notes of the memory tools, relative to the root folder of the built-in tools. */
  readonly memory?: string
  readonly toolPrefix: boolean | string
  readonly instruction: string
  readonly store: 'none' | 'metadata' | 'full'
  readonly context: {
    readonly strategy: 'trim' | 'summarise' | 'fail'
    /** Share of the model's context window at which the conversation is shortened. Default: 0.8. */
    readonly threshold?: number
    /** Number of latest model turns that are never shortened. Default: 6. */
    readonly keepTurns?: number
    /** Model that writes the summary. Default: the agent's own. */
    readonly model?: string
  }
  readonly composition: Composition
  readonly acquire: { readonly kind: 'fresh' } | { readonly kind: 'pool'; readonly size: number }
  readonly schedule?: AgentSchedule
  readonly display: { readonly maxInstances: number }
  /** Environment variables that the agent needs. */
  readonly env: readonly string[]
}

/** A function that is used as a tool. It is called with one object of arguments. */
export type AnyFunction = (args: never, ...rest: never[]) => unknown
