import * as z from 'zod'
import {
  AGENT_MODES,
  AGENT_TYPES,
  HISTORY_MODES,
  MATCH_STRATEGIES,
  PROVIDER_TOOLS,
  REASONING_LEVELS,
  RUNTIME_TOOLS,
  type AgentDefinition,
  type AgentSchedule,
  type AgentSkill,
  type AgentTool,
  type ChildTool,
  type InputContract,
  type LoopHookSpecs,
  type McpServerConfig,
  type OutputContract,
} from './agent.ts'
import type { GuardSpecs } from './guard.ts'
import type { ToolHook } from './hook.ts'
import {
  agentName,
  agentSkill,
  inlineSkill,
  agentTool,
  anyFunction,
  childDefinition,
  childTool,
  count,
  definedTool,
  functionUse,
  guardList,
  httpToolUse,
  hookSpec,
  hookUse,
  innerPath,
  limitsSchema,
  mcpServerSchema,
  positive,
  rules,
  scheduleSchema,
  schemaInput,
  semver,
  text,
  texts,
  type SchemaInput,
} from './key-schemas.ts'
import { DEFAULT_LIMITS } from './limits.ts'
import type { PermissionRules } from './permission.ts'

/** One key of a card. Schema, types, defaults, help and the reference page come from here. */
export interface AgentKey {
  readonly schema: z.ZodType
  /** Value of the definition if the card does not set the key. Frozen, because definitions share it. */
  readonly default?: unknown
  /** Part of the definition that holds the value, or `file` if it only concerns the card's file. */
  readonly group?: 'settings' | 'composition' | 'file'
  /** One line for `--help` and for editors. */
  readonly note: string
  /** YAML on one line, for a key without a default. */
  readonly example?: string
  /**
   * True if ignoring the key gives an agent no further abilities and leaves it with the same agents, tools and
   * servers. Ignoring any other key is an error.
   */
  readonly safeToIgnore?: true
  /** Row of the key in docs/cards.md, in Markdown. `unset` replaces the default as it would be written. */
  readonly docs?: {
    readonly section: string
    readonly values: string
    readonly unset?: string
    readonly text: string
  }
}

function key<Schema extends z.ZodType>(
  schema: Schema,
  about: Omit<AgentKey, 'schema'>,
): AgentKey & { readonly schema: Schema } {
  return { ...about, schema }
}

/** Gives a schema a type that is written more precisely than zod infers it. */
function typed<Value>() {
  return (schema: z.ZodType): z.ZodType<Value, Value> => schema as z.ZodType<Value, Value>
}

const NONE: readonly never[] = Object.freeze([])
const NOTHING: Readonly<Record<string, never>> = Object.freeze({})
const TEXT = Object.freeze({ format: 'text' } as const)
const NO_EXPORTS = Object.freeze({ tools: NONE, skills: NONE })
const NO_RULES = Object.freeze({ deny: NONE, ask: NONE, allow: NONE })
const TRIM = Object.freeze({ strategy: 'trim' } as const)
const DISPLAY = Object.freeze({ maxInstances: 20 })

/** Every key of a card, in the order of a definition. */
const KEYS = {
  $schema: key(text, {
    group: 'file',
    note: 'for editors; ignored',
    example: './card.schema.json',
    safeToIgnore: true,
    docs: { section: 'Identity', values: 'text', text: 'for editors; otherwise ignored' },
  }),
  dialect: key(text, {
    group: 'file',
    note: 'the card format; detected from the path and the keys if not set',
    example: 'troupe',
    safeToIgnore: true,
    docs: {
      section: 'Identity',
      values: '`troupe` or [another format](dialects.md#how-the-format-is-detected)',
      unset: 'detected from path and keys',
      text: 'the card format; `format` is the same key',
    },
  }),
  name: key(agentName, {
    note: 'how other agents call it; default: the file name',
    safeToIgnore: true,
    docs: {
      section: 'Identity',
      values: '1–100 characters, without `/ \\ * ? [ ] { }`',
      unset: 'the file name without its extension',
      text: 'how other agents call it',
    },
  }),
  description: key(text, {
    note: "what it does; the parent's model reads it",
    example: 'What this agent does',
    safeToIgnore: true,
    docs: {
      section: 'Identity',
      values: 'text',
      unset: 'none, with a warning',
      text: "what the agent does; the parent's model reads it",
    },
  }),
  usage: key(text, {
    note: 'an example input',
    example: 'an example input',
    safeToIgnore: true,
    docs: { section: 'Identity', values: 'text', text: 'an example input, shown by `--help`' },
  }),
  version: key(semver, {
    default: '0.0.0',
    note: 'its version',
    safeToIgnore: true,
    docs: {
      section: 'Identity',
      values: 'semver, such as `1.4.0`',
      text: 'reported in the `run-start` event',
    },
  }),
  type: key(z.enum(AGENT_TYPES), {
    default: 'agent',
    note: 'agent, chain, parallel, router, orchestrator, evaluator_optimizer, voting',
    safeToIgnore: true,
    docs: {
      section: 'Identity',
      values: '`agent`, `chain`, `parallel`, `router`, `orchestrator`, `evaluator_optimizer`, `voting`',
      text: 'all but `agent` are [compositions](compositions.md)',
    },
  }),
  mode: key(z.enum(AGENT_MODES), {
    default: 'interactive',
    note: 'interactive, autonomous, tools',
    safeToIgnore: true,
    docs: {
      section: 'Exported tools and skills',
      values: '`interactive`, `autonomous`, `tools`',
      text: 'the intended use; does not change how the agent is served',
    },
  }),
  default: key(z.boolean(), {
    default: false,
    note: 'the entry of its folder',
    safeToIgnore: true,
    docs: { section: 'Identity', values: 'boolean', text: 'makes the agent the entry agent of its folder' },
  }),
  hidden: key(z.boolean(), {
    default: false,
    note: 'not served; runs only as a child',
    docs: {
      section: 'Identity',
      values: 'boolean',
      text: 'never served or picked as entry agent; runs as a child or with `--agent`',
    },
  }),
  model: key(z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]), {
    note: 'provider/name, or a list with fallbacks',
    example: 'openai/gpt-5-mini',
    safeToIgnore: true,
    docs: {
      section: 'Model',
      values: '`provider/name`, such as `openai/gpt-5-mini`, or a list',
      unset: '`defaults.model` in `troupe.json`',
      text: 'the [model](models.md), or models in order of fallback',
    },
  }),
  temperature: key(z.number().min(0), {
    group: 'settings',
    note: "default: the provider's",
    example: '0.7',
    safeToIgnore: true,
    docs: {
      section: 'Model',
      values: 'number, at least 0, such as `0.7`',
      unset: "the provider's",
      text: 'sampling temperature',
    },
  }),
  topP: key(z.number().min(0).max(1), {
    group: 'settings',
    note: "default: the provider's",
    example: '0.9',
    safeToIgnore: true,
    docs: {
      section: 'Model',
      values: 'number from 0 to 1, such as `0.9`',
      unset: "the provider's",
      text: 'nucleus sampling',
    },
  }),
  maxOutputTokens: key(positive, {
    group: 'settings',
    note: "tokens of one answer; default: the provider's",
    example: '4096',
    safeToIgnore: true,
    docs: {
      section: 'Model',
      values: 'number of tokens, such as `4096`',
      unset: "the provider's",
      text: 'maximum length of one answer; an answer cut off here is `partial`',
    },
  }),
  reasoning: key(z.union([z.enum(REASONING_LEVELS), count]), {
    group: 'settings',
    note: 'provider-default, none, minimal, low, medium, high, xhigh, max',
    example: 'medium',
    safeToIgnore: true,
    docs: {
      section: 'Model',
      values: 'a level, such as `medium`, or a number of tokens',
      unset: "the provider's",
      text: '[how hard the model thinks](models.md#reasoning-effort)',
    },
  }),
  stopSequences: key(texts, {
    group: 'settings',
    note: 'text that ends an answer',
    example: '[END]',
    safeToIgnore: true,
    docs: { section: 'Model', values: 'list of text, such as `["END"]`', text: 'texts that end an answer' },
  }),
  toolName: key(z.string().min(1).max(128), {
    note: 'its name as a tool; default: agent__<name>',
    example: 'research',
    safeToIgnore: true,
    docs: {
      section: 'Tools and children',
      values: 'text, such as `research`',
      unset: '`agent__<name>`',
      text: 'the name under which models see this agent as a tool',
    },
  }),
  input: key(
    typed<Omit<Partial<InputContract>, 'schema'> & { readonly schema?: SchemaInput }>()(
      z.strictObject({
        format: z.enum(['text', 'json']).optional(),
        schema: schemaInput.optional(),
        message: z.string().min(1).optional(),
        template: z.enum(['jinja']).optional(),
      }),
    ),
    {
      default: TEXT,
      note: 'text or json; schema: JSON Schema, or the path of a JSON file; message; template: jinja',
      safeToIgnore: true,
      docs: {
        section: 'Input and output',
        values: '`{ format, schema, message, template }`; formats: `text`, `json`',
        text: 'input is validated against `schema` and fills in [templates](#templates)',
      },
    },
  ),
  output: key(
    typed<Omit<Partial<OutputContract>, 'schema'> & { readonly schema?: SchemaInput }>()(
      z.strictObject({
        format: z.enum(['text', 'markdown', 'json']).optional(),
        schema: schemaInput.optional(),
        files: z.boolean().optional(),
      }),
    ),
    {
      default: TEXT,
      note: 'text, markdown or json; schema: JSON Schema, or the path of a JSON file; files: true adds files of tools',
      safeToIgnore: true,
      docs: {
        section: 'Input and output',
        values: '`{ format, schema, files }`; formats: `text`, `markdown`, `json`',
        text: 'for `json`, answers are validated against `schema`; `files: true` adds the [files](output.md#files) of tools',
      },
    },
  ),
  agents: key(z.array(z.union([z.string().min(1), childDefinition])), {
    default: NONE,
    note: 'children: names, paths, globs',
    docs: {
      section: 'Tools and children',
      values: 'list of names, paths, globs',
      text: '[child agents](#child-agents), offered to the model [as tools](agents-as-tools.md)',
    },
  }),
  agentTools: key(typed<Readonly<Record<string, ChildTool>>>()(z.record(z.string().min(1), childTool)), {
    default: NOTHING,
    note: 'how children are offered as tools, by entry of agents: name, description, input',
    safeToIgnore: true,
    docs: {
      section: 'Tools and children',
      values: '`{ name, description, input }` by entry of `agents`',
      text: '[how children are offered as tools](agents-as-tools.md#name-and-input-of-a-child)',
    },
  }),
  servers: key(texts, {
    default: NONE,
    note: 'MCP servers by name',
    docs: {
      section: 'Tools and children',
      values: 'list of names',
      text: '[MCP servers](mcp-servers.md) from `troupe.json` or from `mcpServers`',
    },
  }),
  mcpServers: key(
    typed<Readonly<Record<string, McpServerConfig>>>()(z.record(z.string().min(1), mcpServerSchema)),
    {
      default: NOTHING,
      note: 'definitions of MCP servers: command, args, env, or url, headers',
      docs: {
        section: 'Tools and children',
        values: 'definitions by name',
        text: 'MCP servers that the card itself defines',
      },
    },
  ),
  tools: key(
    z.union([
      text,
      texts,
      typed<Readonly<Record<string, readonly string[]>>>()(z.record(z.string(), texts)),
      typed<Readonly<Record<string, boolean>>>()(z.record(z.string(), z.boolean())),
    ]),
    {
      note: 'which tools of the servers; default: all of them',
      example: '{server: [tool, "search_*"]}',
      docs: {
        section: 'Tools and children',
        values: 'map of lists, map of booleans, list, or text with commas',
        unset: 'all',
        text: '[which tools of its servers](mcp-servers.md#filter-tools) the agent gets',
      },
    },
  ),
  functionTools: key(
    z.array(z.union([z.string().min(1), httpToolUse, functionUse, definedTool, anyFunction])),
    {
      default: NONE,
      note: 'functions as tools: module.ts:function, or {use, worker: true} for one that blocks',
      docs: {
        section: 'Tools and children',
        values: 'list of `module.ts:function`, `{ use, worker, env }` or `{ use: troupe:http, … }`',
        text: '[function tools](function-tools.md)',
      },
    },
  ),
  clientTools: key(z.enum(['allow', 'deny']), {
    note: 'whether clients of a server may bring tools along: allow, deny; default: allow',
    example: 'deny',
    docs: {
      section: 'Tools and children',
      values: '`allow`, `deny`',
      unset: '`allow`',
      text: 'whether a client that calls the agent may offer it [tools of its own](coding-clients.md#client-tools)',
    },
  }),
  providerTools: key(z.array(z.enum(PROVIDER_TOOLS)), {
    note: 'tools that the provider of the model executes: web_search, web_fetch, code_execution',
    example: '[web_search]',
    docs: {
      section: 'Tools and children',
      values: 'list of `web_search`, `web_fetch`, `code_execution`',
      unset: 'none',
      text: '[tools that the provider of the model executes](models.md#tools-of-the-provider)',
    },
  }),
  toolHooks: key(
    z.array(z.union([z.string().min(1), hookUse, anyFunction as unknown as z.ZodType<ToolHook, ToolHook>])),
    {
      default: NONE,
      note: 'hooks around every tool call, outermost first: module.ts:function, or a stock hook',
      docs: {
        section: 'Tools and children',
        values: 'list of `module.ts:function`, `troupe:name` or `{ use, …options }`',
        text: '[hooks](hooks.md) around every tool call; the first is the outermost',
      },
    },
  ),
  loopHooks: key(
    typed<LoopHookSpecs>()(
      z.strictObject({
        beforeModel: hookSpec.optional(),
        afterModel: hookSpec.optional(),
        beforeTools: hookSpec.optional(),
        afterTools: hookSpec.optional(),
        beforeTurn: hookSpec.optional(),
        afterTurn: hookSpec.optional(),
        onEnd: hookSpec.optional(),
      }),
    ),
    {
      default: NOTHING,
      note: 'beforeModel, afterModel, beforeTools, afterTools, beforeTurn, afterTurn, onEnd: module.ts:function',
      docs: {
        section: 'Tools and children',
        values: '`{ beforeTurn, beforeModel, afterModel, beforeTools, afterTools, afterTurn, onEnd }`',
        text: '[hooks around the loop](hooks.md#loop-hooks)',
      },
    },
  ),
  guard: key(
    typed<GuardSpecs>()(
      z.strictObject({
        input: guardList.optional(),
        output: guardList.optional(),
        toolCall: guardList.optional(),
        toolResult: guardList.optional(),
      }),
    ),
    {
      note: 'checks by place (input, output, toolCall, toolResult): troupe:name, module.ts:function, or {agent}',
      example: '{input: ["troupe:injection"], output: [{use: "troupe:secrets", action: redact}]}',
      docs: {
        section: 'Tools and children',
        values: '`{ input, output, toolCall, toolResult }`, lists of guards',
        unset: 'none',
        text: '[checks of what the agent reads and writes](guards.md)',
      },
    },
  ),
  exports: key(
    typed<{ readonly tools?: readonly AgentTool[]; readonly skills?: readonly AgentSkill[] }>()(
      z.strictObject({ tools: z.array(agentTool).optional(), skills: z.array(agentSkill).optional() }),
    ),
    {
      default: NO_EXPORTS,
      note: 'tools to offer over MCP {name, description, parameters, prompt}, and A2A skills',
      safeToIgnore: true,
      docs: {
        section: 'Exported tools and skills',
        values: '`{ tools, skills }`',
        text: '[tools that it offers over MCP](mcp-server.md) and skills on its [A2A card](a2a.md)',
      },
    },
  ),
  skills: key(z.array(z.union([text, inlineSkill])), {
    default: NONE,
    note: 'folders with SKILL.md, or {name, description, text}',
    safeToIgnore: true,
    docs: {
      section: 'Tools and children',
      values: 'list of folders and `{ name, description, text }`',
      text: 'folders with a `SKILL.md`, or texts; implies `runtimeTools: [skills]` ([skills](runtime-tools.md#skills))',
    },
  }),
  limits: key(limitsSchema, {
    default: DEFAULT_LIMITS,
    note: 'durations are ms, or text such as 30s, 5m, 1h',
  }),
  historyMode: key(z.enum(HISTORY_MODES), {
    default: 'scratch',
    note: 'what its children see of its conversation: scratch, fork, fork_and_merge',
    safeToIgnore: true,
    docs: {
      section: 'Tools and children',
      values: '`scratch`, `fork`, `fork_and_merge`',
      text: '[how much of the conversation children see](agents-as-tools.md#message-history)',
    },
  }),
  toolPermission: key(z.enum(['always', 'tool', 'never']), {
    default: 'tool',
    note: 'which calls need approval: always, tool, never',
    docs: {
      section: 'Permissions',
      values: '`always`, `tool`, `never`',
      text: 'what applies if no rule of `permissions` matches',
    },
  }),
  requiresApproval: key(texts, {
    default: NONE,
    note: 'globs of tools that need approval',
    docs: {
      section: 'Permissions',
      values: 'list of globs, such as `[files__delete*]`',
      text: 'tools that need approval',
    },
  }),
  permissions: key(
    typed<Partial<PermissionRules>>()(
      z.strictObject({ deny: rules.optional(), ask: rules.optional(), allow: rules.optional() }),
    ),
    {
      default: NO_RULES,
      note: 'globs of tools; deny beats ask beats allow',
      docs: {
        section: 'Permissions',
        values:
          '`{ deny, ask, allow }`: lists of globs of canonical tool names and [argument rules](#argument-rules)',
        text: 'deny beats ask beats allow',
      },
    },
  ),
  runtimeTools: key(z.array(z.enum(RUNTIME_TOOLS)), {
    default: NONE,
    note: 'shell, filesystem, human, skills, shared, fetch, search, todo, memory',
    docs: {
      section: 'Tools and children',
      values:
        'list of `filesystem`, `shell`, `fetch`, `search`, `todo`, `memory`, `human`, `skills`, `shared`',
      text: '[built-in tools](runtime-tools.md)',
    },
  }),
  memory: key(innerPath, {
    note: 'folder of the notes of the memory tools, in the root folder of the built-in tools',
    example: 'notes',
    docs: {
      section: 'Tools and children',
      values: 'path of a folder, such as `notes`',
      unset: '`memory` in the root folder',
      text: '[notes](runtime-tools.md#notes) that the agent keeps between runs; gives it the memory tools',
    },
  }),
  toolPrefix: key(z.union([z.boolean(), text]), {
    default: true,
    note: 'prefix of exported MCP tools: true, false, or text',
    safeToIgnore: true,
    docs: {
      section: 'Exported tools and skills',
      values: 'boolean or text, such as `travel`',
      text: "prefix of exported tool names: the agent's name, no prefix, or the text",
    },
  }),
  instruction: key(text, {
    note: 'the prompt, in a card without a body',
    example: 'You are …',
    safeToIgnore: true,
    docs: {
      section: 'Identity',
      values: 'text',
      unset: 'the body',
      text: 'the prompt; a card with both a body and `instruction` is an error',
    },
  }),
  store: key(z.enum(['none', 'metadata', 'full']), {
    default: 'full',
    note: 'what is stored of its runs: none, metadata, full',
    docs: {
      section: 'Compositions and sessions',
      values: '`full`, `metadata`, `none`',
      text: 'what is [stored](runs.md#what-is-stored) of a run',
    },
  }),
  context: key(
    typed<Partial<AgentDefinition['context']>>()(
      z.strictObject({
        strategy: z.enum(['trim', 'summarise', 'fail']).optional(),
        threshold: z.number().min(0.1).max(1).optional(),
        keepTurns: positive.optional(),
        model: text.optional(),
      }),
    ),
    {
      default: TRIM,
      note: 'when the conversation is too long: strategy trim, summarise or fail; threshold, keepTurns, model',
      safeToIgnore: true,
      docs: {
        section: 'Model',
        values: '`{ strategy, threshold, keepTurns, model }`',
        text: 'what happens if [the conversation grows too long](context.md)',
      },
    },
  ),
  sequence: key(texts, {
    group: 'composition',
    note: 'type chain: the agents in order',
    example: '[first, second]',
    docs: {
      section: 'Compositions and sessions',
      values: 'list of agents',
      text: 'for type `chain`: the agents in order',
    },
  }),
  cumulative: key(z.boolean(), {
    group: 'composition',
    note: 'type chain: each agent reads the request and all earlier answers',
    example: 'true',
    safeToIgnore: true,
    docs: {
      section: 'Compositions and sessions',
      values: 'boolean',
      unset: '`false`',
      text: 'for type `chain`: each agent reads the request and all earlier answers',
    },
  }),
  fanOut: key(texts, {
    group: 'composition',
    note: 'agents that run on the request, at once; their answers come before it (type parallel: and are the result)',
    example: '[one, two]',
    docs: {
      section: 'Compositions and sessions',
      values: 'list of agents',
      text: 'for types `parallel` and `agent`: the agents that run on the request first, at once ([advisors](compositions.md#advisors))',
    },
  }),
  fanIn: key(text, {
    group: 'composition',
    note: 'the agent that reads the results and writes the answer (types parallel and agent)',
    example: 'summary',
    docs: {
      section: 'Compositions and sessions',
      values: 'name',
      text: 'for types `parallel` and `agent`: the agent that reads the results and writes the answer',
    },
  }),
  handoffs: key(texts, {
    group: 'composition',
    note: 'agents that the model can hand the request over to; their answer is the result',
    example: '[sales, support]',
    docs: {
      section: 'Compositions and sessions',
      values: 'list of agents',
      text: 'for type `agent`: the agents that the model can [hand the request over to](compositions.md#handoffs)',
    },
  }),
  includeRequest: key(z.boolean(), {
    group: 'composition',
    note: 'type parallel: fanIn reads the request too',
    example: 'true',
    safeToIgnore: true,
    docs: {
      section: 'Compositions and sessions',
      values: 'boolean',
      unset: '`true`',
      text: 'for type `parallel`: `fanIn` also reads the request',
    },
  }),
  planIterations: key(
    z.int().refine((value) => value === -1 || value >= 1, {
      message: 'expected a number of at least 1, or -1 to use limits.maxTurns',
    }),
    {
      group: 'composition',
      note: 'type orchestrator: how many times the model may plan; -1: up to limits.maxTurns times',
      example: '5',
      safeToIgnore: true,
      docs: {
        section: 'Compositions and sessions',
        values: 'number, or -1',
        unset: '5',
        text: 'for type `orchestrator`: how many times the model may plan; -1: up to `limits.maxTurns` times',
      },
    },
  ),
  generator: key(text, {
    group: 'composition',
    note: 'type evaluator_optimizer: the agent that writes the answer',
    example: 'writer',
    docs: {
      section: 'Compositions and sessions',
      values: 'name',
      text: 'for type `evaluator_optimizer`: the agent that writes the answer',
    },
  }),
  evaluator: key(text, {
    group: 'composition',
    note: 'type evaluator_optimizer: the agent that rates the answer',
    example: 'critic',
    docs: {
      section: 'Compositions and sessions',
      values: 'name',
      text: 'for type `evaluator_optimizer`: the agent that rates the answer',
    },
  }),
  minRating: key(z.union([text, z.number()]).transform(String), {
    group: 'composition',
    note: 'type evaluator_optimizer: lowest rating that is good enough',
    example: 'GOOD',
    safeToIgnore: true,
    docs: {
      section: 'Compositions and sessions',
      values: '`POOR`, `FAIR`, `GOOD`, `EXCELLENT`, or a number',
      unset: '`GOOD`',
      text: 'for type `evaluator_optimizer`: the lowest rating that is good enough',
    },
  }),
  maxRefinements: key(count, {
    group: 'composition',
    note: 'type evaluator_optimizer: how many times the generator may revise',
    example: '3',
    safeToIgnore: true,
    docs: {
      section: 'Compositions and sessions',
      values: 'number',
      unset: '3',
      text: 'for type `evaluator_optimizer`: how many times the generator may revise',
    },
  }),
  refinementInstruction: key(text, {
    group: 'composition',
    note: 'type evaluator_optimizer: added to the feedback for the generator',
    example: 'Keep it short.',
    safeToIgnore: true,
    docs: {
      section: 'Compositions and sessions',
      values: 'text',
      text: 'for type `evaluator_optimizer`: added to the feedback for the generator',
    },
  }),
  worker: key(text, {
    group: 'composition',
    note: 'type voting: the agent that answers several times',
    example: 'classifier',

    docs: {
      section: 'Compositions and sessions',
      values: 'name',

      text: 'for type `voting`: the agent that answers several times',
    },
  }),
  minLead: key(positive, {
    group: 'composition',
    note: 'type voting: votes by which an answer must lead all others',
    example: '3',
    safeToIgnore: true,
    docs: {
      section: 'Compositions and sessions',
      values: 'number',
      unset: '3',
      text: 'for type `voting`: votes by which an answer must lead all others',
    },
  }),
  maxSamples: key(positive, {
    group: 'composition',
    note: 'type voting: how many times the worker may answer',
    example: '50',
    safeToIgnore: true,
    docs: {
      section: 'Compositions and sessions',
      values: 'number',
      unset: '50',
      text: 'for type `voting`: how many times the worker may answer',
    },
  }),
  matchStrategy: key(z.enum(MATCH_STRATEGIES), {
    group: 'composition',
    note: 'type voting: exact, normalized, structured',
    example: 'normalized',
    safeToIgnore: true,
    docs: {
      section: 'Compositions and sessions',
      values: '`exact`, `normalized`, `structured`',
      unset: '`exact`',
      text: 'for type `voting`: [which answers count as equal](compositions.md#voting)',
    },
  }),
  maxSampleLength: key(positive, {
    group: 'composition',
    note: 'type voting: characters of the longest answer that counts',
    example: '200',
    safeToIgnore: true,
    docs: {
      section: 'Compositions and sessions',
      values: 'number of characters',

      text: 'for type `voting`: longer answers do not count',
    },
  }),
  acquire: key(z.union([z.literal('fresh'), z.strictObject({ pool: positive })]), {
    default: 'fresh',
    note: 'fresh, or {pool: N} to reuse N prepared setups',
    safeToIgnore: true,
    docs: {
      section: 'Compositions and sessions',
      values: '`fresh`, `{ pool: N }`',
      text: 'whether runs reuse a [pool](agents-as-tools.md#pools) of N prepared setups of the agent',
    },
  }),
  schedule: key(typed<AgentSchedule>()(scheduleSchema), {
    note: 'when a server starts it by itself: cron, timeZone, input, overlap, catchUp, priority, name',
    example: '{cron: "0 9 * * 1-5", timeZone: Europe/Berlin, input: Plan the day.}',
    safeToIgnore: true,
    docs: {
      section: 'Compositions and sessions',
      values: '`{ cron, timeZone, input, overlap, catchUp, priority, name }`',
      text: 'when [a server starts a run by itself](schedules.md)',
    },
  }),
  display: key(
    typed<Partial<AgentDefinition['display']>>()(z.strictObject({ maxInstances: positive.optional() })),
    {
      default: DISPLAY,
      note: 'how many children of a run the panel shows',
      safeToIgnore: true,
      docs: {
        section: 'Compositions and sessions',
        values: '`{ maxInstances }`',
        text: 'children of one run that the panel shows before it prints "n more"',
      },
    },
  ),
  env: key(texts, {
    default: NONE,
    note: 'variables it needs',
    safeToIgnore: true,
    docs: {
      section: 'Tools and children',
      values: 'list of names, such as `[API_TOKEN]`',
      text: '[variables](configuration.md#variables) that the agent requires to run',
    },
  }),
}

type Keys = typeof KEYS

const fields = z.strictObject(
  Object.fromEntries(
    Object.entries(KEYS).map(([name, { schema }]) => [name, schema.optional()]),
  ) as unknown as {
    readonly [Name in keyof Keys]: z.ZodOptional<Keys[Name]['schema']>
  },
)

type Immutable<Value> = Value extends readonly (infer Item)[] ? readonly Item[] : Value
type Fields<Values> = { readonly [Name in keyof Values]: Immutable<Exclude<Values[Name], undefined>> }

/**
 * Fields of a card or of `defineAgent`, see docs/cards.md. Functions are accepted in place of string references
 * in code only.
 */
export type AgentFields = Fields<z.input<typeof fields>>

/** Fields after validation: durations are in ms, a rating is text. */
export type ParsedAgentFields = Fields<z.output<typeof fields>>

/** Validates all keys of a card. Rejects unknown keys and converts durations to ms. */
export const agentFieldsSchema: z.ZodType<ParsedAgentFields, AgentFields> = fields as unknown as z.ZodType<
  ParsedAgentFields,
  AgentFields
>

/** Every key of a card with its schema, default and help. */
export const AGENT_KEY_TABLE: ReadonlyMap<string, AgentKey> = new Map<string, AgentKey>(Object.entries(KEYS))

/** All card keys, in the order of a definition. Pinned by a test. */
export const AGENT_KEYS: readonly string[] = Object.keys(KEYS)
