import { missingVariables, redactValues } from '@troupe/env'
import type { McpPool } from '@troupe/mcp'
import type { Warn } from '@troupe/registry'
import {
  failure,
  toFailure,
  TroupeError,
  type AgentDefinition,
  type ModelHandle,
  type PreparedAgent,
  type Redactor,
  type RunRequest,
  type ToolDefinition,
  type ValidateArguments,
} from '@troupe/schema'
import { assembleTools, type AssembledTools, type ServerLists } from './assemble-tools.ts'
import { permissionBelow } from './ceilings.ts'
import type { CheckedAgent } from '../check/check-agent.ts'
import { leaseServers } from './lease-servers.ts'
import { resolveModelOf, resolveModels, type ModelSources, type ResolvedModels } from './resolve-models.ts'

/** What one preparation may use. */
export interface PreparationOptions {
  readonly principal: string
  /** In place of the agent's own. */
  readonly models?: readonly ModelHandle[]
  readonly signal?: AbortSignal | undefined
  readonly warn: Warn
}

/** The tools of an agent for one session. */
export interface PreparedTools extends AssembledTools {
  /** A server that the agent can do without could not be had. */
  readonly isDegraded: boolean
  release(): Promise<void>
}

/** Builds the sessions of a team: what does not depend on the run is made once and kept (decision 15). */
export interface AgentPreparer {
  /** Everything of a session. Throws a TroupeError without secrets: a missing variable, a server that does not start, too many tools. */
  prepare(
    agent: CheckedAgent,
    request: Pick<RunRequest, 'ancestry'>,
    options: PreparationOptions,
  ): Promise<PreparedAgent>
  /** A session that was prepared for another run, with the ceilings of this one's ancestors in place of that one's. */
  bind(prepared: PreparedAgent, request: Pick<RunRequest, 'ancestry'>): PreparedAgent
  /** The tools alone: needs no model. Throws like `prepare`. */
  tools(agent: CheckedAgent, options: PreparationOptions): Promise<PreparedTools>
}

/** What sessions are built from. */
export interface PreparerSources {
  readonly pool: McpPool
  readonly validate: ValidateArguments
  readonly models: ModelSources
  readonly redactor?: Redactor | undefined
  /** The definition of an ancestor, for the ceilings a child inherits. */
  definition(name: string): AgentDefinition | undefined
}

/** Kept for one agent between its runs. */
interface Kept {
  models?: ResolvedModels
  /** What summarises its conversations, where the card names a model for that. */
  contextModel?: ModelHandle
  assembled?: { readonly lists: readonly (readonly ToolDefinition[])[]; readonly tools: AssembledTools }
}

/** A preparer over one pool of MCP servers and one validator. */
export function createPreparer(sources: PreparerSources): AgentPreparer {
  const { redactor } = sources
  const keptByAgent = new WeakMap<CheckedAgent, Kept>()
  const keptOf = (agent: CheckedAgent): Kept => {
    const known = keptByAgent.get(agent)
    if (known !== undefined) return known
    const kept: Kept = {}
    keptByAgent.set(agent, kept)
    return kept
  }
  return {
    tools: (agent, options) => {
      const kept = keptOf(agent)
      return withoutSecrets(redactor, () => prepareTools(agent, { ...options, kept, sources }))
    },
    bind: (prepared, request) => ({
      ...prepared,
      permission: permissionFor(prepared.definition, request, sources),
    }),
    prepare: (agent, request, options) => {
      const kept = keptOf(agent)
      return withoutSecrets(redactor, () => prepareAll(agent, { ...options, kept, sources, request }))
    },
  }
}

async function prepareTools(
  agent: CheckedAgent,
  options: PreparationOptions & { readonly kept: Kept; readonly sources: PreparerSources },
): Promise<PreparedTools> {
  const { kept, sources } = options
  const warn = tellWithout(options.warn, sources)
  const { leases, absent, release } = await leaseServers(agent.servers, {
    ...options,
    pool: sources.pool,
    environment: agent.environment,
    warn,
  })
  try {
    const lists = leases.map((lease) => lease.tools)
    const assembled = assembleOnce(agent, kept, { lists, absent })
    for (const warning of assembled.warnings) warn(warning)
    return { ...assembled, isDegraded: absent.length > 0, release }
  } catch (thrown) {
    await release()
    throw thrown
  }
}

async function prepareAll(
  agent: CheckedAgent,
  options: PreparationOptions & {
    readonly kept: Kept
    readonly sources: PreparerSources
    readonly request: Pick<RunRequest, 'ancestry'>
  },
): Promise<PreparedAgent> {
  const { sources, request } = options
  const { environment, parts } = agent
  const { definition } = agent.member
  requireVariables(agent)
  const models = options.models ?? (await modelsOnce(agent, options))
  const { contextModel } = options.kept
  const { tools, system, isDegraded, release } = await prepareTools(agent, options)
  const tooMany = tooManyTools(definition, tools.size, models)
  if (tooMany !== undefined) {
    await release()
    throw tooMany
  }
  return {
    definition,
    system,
    models,
    ...(contextModel === undefined ? {} : { contextModel }),
    tools,
    hooks: parts.hooks,
    loopHooks: parts.loopHooks,
    validate: sources.validate,
    ...(agent.compose === undefined ? {} : { compose: agent.compose }),
    permission: permissionFor(definition, request, sources),
    env: (name) => environment.overlay.get(name),
    ...(isDegraded ? { isDegraded } : {}),
    release,
  }
}

function permissionFor(
  definition: AgentDefinition,
  { ancestry }: Pick<RunRequest, 'ancestry'>,
  sources: PreparerSources,
): PreparedAgent['permission'] {
  return permissionBelow(
    definition,
    ancestry.flatMap(({ name }) => sources.definition(name) ?? []),
  )
}

async function modelsOnce(
  agent: CheckedAgent,
  options: { readonly kept: Kept; readonly sources: PreparerSources; readonly warn: Warn },
): Promise<readonly ModelHandle[]> {
  const { kept, sources, warn } = options
  kept.models ??= await resolveModels(agent, sources.models)
  const { model } = agent.member.definition.context
  if (model !== undefined) kept.contextModel ??= await resolveModelOf(model, agent, sources.models)
  for (const warning of kept.models.warnings) tellWithout(warn, sources)(warning)
  return kept.models.models
}

/** The same tools and the same map as long as the servers list the same ones. */
function assembleOnce(
  { member, parts, servers }: CheckedAgent,
  kept: Kept,
  { lists, absent }: ServerLists,
): AssembledTools {
  const known = kept.assembled
  if (known !== undefined && known.lists.every((list, index) => list === lists[index])) return known.tools
  // the check said which servers are defined nowhere
  const undefinedServers = member.definition.servers.filter(
    (name) => !servers.some((own) => own.name === name),
  )
  const tools = assembleTools(member.definition, parts, {
    lists,
    absent: [...absent, ...undefinedServers],
  })
  kept.assembled = { lists, tools }
  return tools
}

/** What the card itself says it needs; models and servers look for theirs. */
function requireVariables({ member, environment }: CheckedAgent): void {
  const missing = member.definition.env.filter((name) => environment.overlay.get(name) === undefined)
  if (missing.length > 0) throw new TroupeError(missingVariables(missing, environment))
}

/** R2: caps are checked before the first model call. */
function tooManyTools(
  { name }: AgentDefinition,
  count: number,
  models: readonly ModelHandle[],
): TroupeError | undefined {
  const strict = models.find(({ maxTools = Infinity }) => count > maxTools)
  if (strict === undefined) return undefined
  return new TroupeError(
    failure(
      'tool_too_many',
      `The agent ${name} has ${count} tools; ${strict.id} takes at most ${strict.maxTools}.`,
      'Filter the tools of its servers with `tools` in the card.',
    ),
  )
}

/** A session that was never prepared has nothing that hides its secrets, so its error must not hold any: a server may print them as it dies. */
async function withoutSecrets<T>(redactor: Redactor | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    if (redactor === undefined) throw thrown
    throw new TroupeError(redactValues(toFailure(thrown), redactor.redact))
  }
}

function tellWithout(warn: Warn, { redactor }: PreparerSources): Warn {
  if (redactor === undefined) return warn
  return ({ code, message }) => warn({ code, message: redactor.redact(message) })
}
