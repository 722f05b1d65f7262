import { missingVariables, redactValues } from '@troupe/env'
import type { McpPool } from '@troupe/mcp'
import type { Warn } from '@troupe/registry'
import {
  failure,
  toFailure,
  TroupeError,
  type AgentDefinition,
  type MaybePromise,
  type ToolDefinition,
} from '@troupe/schema'
import type {
  ModelHandle,
  PreparedAgent,
  Redactor,
  RunRequest,
  ValidateArguments,
} from '@troupe/schema/ports'
import type { CheckedAgent } from '../check/check-agent.ts'
import { leaseServers, type LeasedServers } from '../servers/lease-servers.ts'
import { inheritsModel } from '../team/effective-definition.ts'
import { assembleTools, type AssembledTools, type ServerLists } from '../tools/assemble-tools.ts'
import { effectivePermission } from '../tools/effective-permission.ts'
import { enforceRestrictions } from '../tools/provider-tools.ts'
import { resolveModelOf, resolveModels, type ModelSources, type ResolvedModels } from './resolve-models.ts'

/** Options of one preparation. */
interface PreparationOptions {
  readonly principal: string
  /** Replaces the models of the agent. */
  readonly models?: readonly ModelHandle[]
  /** Its `signal`, created on first access, aborts when the session is no longer needed. */
  readonly stop?: { readonly signal: AbortSignal }
  readonly warn: Warn
}

/** The tools of an agent for one session. */
interface PreparedTools extends AssembledTools {
  /** True if an optional server is unavailable. */
  readonly isDegraded: boolean
  release(): MaybePromise<void>
}

/** Prepares the sessions of a team. Parts that do not depend on the run are created once and reused. */
export interface AgentPreparer {
  /**
   * Prepares a session. Rejects with a TroupeError without secrets for a missing variable, a server that does
   * not start, or too many tools.
   */
  prepare(
    agent: CheckedAgent,
    request: Pick<RunRequest, 'ancestry'>,
    options: PreparationOptions,
  ): Promise<PreparedAgent>
  /**
   * Returns a session prepared for another run with the permissions of this run, which depend on its
   * ancestors.
   */
  bind(prepared: PreparedAgent, request: Pick<RunRequest, 'ancestry'>): PreparedAgent
  /** Prepares only the tools, which needs no model. Rejects like `prepare`. */
  tools(agent: CheckedAgent, options: PreparationOptions): Promise<PreparedTools>
}

/** Everything that sessions are prepared from. */
interface PreparerSources {
  readonly pool: McpPool
  readonly validate: ValidateArguments
  readonly models: ModelSources
  readonly redactor?: Redactor | undefined
  /** Returns the definition of an ancestor, whose permission limits a child inherits. */
  definition(name: string): AgentDefinition | undefined
  /** Returns an agent of the team. */
  agent(name: string): CheckedAgent | undefined
}

/** Cached parts of an agent, shared by its runs. */
interface PreparationCache {
  models?: ResolvedModels
  /** Model that summarizes conversations, if the card names one. */
  contextModel?: ModelHandle
  assembled?: { readonly lists: readonly (readonly ToolDefinition[])[]; readonly tools: AssembledTools }
}

export function createPreparer(sources: PreparerSources): AgentPreparer {
  const { redactor } = sources
  const caches = new WeakMap<CheckedAgent, PreparationCache>()
  const cacheOf = (agent: CheckedAgent): PreparationCache => {
    const known = caches.get(agent)
    if (known !== undefined) return known
    const cache: PreparationCache = {}
    caches.set(agent, cache)
    return cache
  }
  return {
    tools: (agent, options) => {
      const cache = cacheOf(agent)
      return redactErrors(redactor, () => prepareTools(agent, { ...options, cache, sources }))
    },
    bind: (prepared, request) => {
      const agent = sources.agent(prepared.definition.name)
      // A caller that runs has resolved its models.
      const inherited = agent && findCaller(agent, request, sources)
      const models = inherited && cacheOf(inherited).models?.models
      return enforceRestrictions({
        ...prepared,
        ...(models === undefined ? {} : { models }),
        permission: permissionFor(prepared.definition, request, sources),
      })
    },
    prepare: (agent, request, options) => {
      const cache = cacheOf(agent)
      const caller = findCaller(agent, request, sources)
      const owner = caller && { agent: caller, cache: cacheOf(caller) }
      return redactErrors(redactor, () =>
        prepareSession(agent, { ...options, cache, sources, request, owner }),
      )
    },
  }
}

type ToolPreparation = PreparationOptions & {
  readonly cache: PreparationCache
  readonly sources: PreparerSources
}
type SessionPreparation = ToolPreparation & {
  readonly request: Pick<RunRequest, 'ancestry'>
  /** The agent whose models are used, if not the agent itself. */
  readonly owner: { readonly agent: CheckedAgent; readonly cache: PreparationCache } | undefined
}

async function prepareTools(agent: CheckedAgent, options: ToolPreparation): Promise<PreparedTools> {
  if (agent.servers.length === 0) return assemble(agent, options, NO_SERVERS)
  const { sources, stop } = options
  const leased = await leaseServers(agent.servers, {
    principal: options.principal,
    signal: stop?.signal,
    pool: sources.pool,
    environment: agent.environment,
    warn: redactWarnings(options.warn, sources),
  })
  return makeOrRelease(leased, () => assemble(agent, options, leased))
}

const NO_SERVERS: LeasedServers = Object.freeze({
  leases: Object.freeze([]),
  unavailable: Object.freeze([]),
  release: () => undefined,
})

/** Calls `make` and releases the leases if it throws. */
async function makeOrRelease<T>({ release }: Pick<LeasedServers, 'release'>, make: () => T): Promise<T> {
  try {
    return make()
  } catch (thrown) {
    await release()
    throw thrown
  }
}

function assemble(
  agent: CheckedAgent,
  { cache, sources, warn }: ToolPreparation,
  { leases, unavailable, release }: LeasedServers,
): PreparedTools {
  const lists = leases.map((lease) => lease.tools)
  const assembled = assembleOnce(agent, cache, { lists, unavailable })
  for (const warning of assembled.warnings) redactWarnings(warn, sources)(warning)
  return { ...assembled, isDegraded: unavailable.length > 0, release }
}

async function prepareSession(agent: CheckedAgent, options: SessionPreparation): Promise<PreparedAgent> {
  requireVariables(agent)
  const models = options.models ?? (await findModels(agent, options))
  const tools = await prepareTools(agent, options)
  return makeOrRelease(tools, () => toPrepared(agent, options, { models, tools }))
}

/** Throws if a model accepts fewer tools than the agent has. */
function toPrepared(
  agent: CheckedAgent,
  { cache, sources, request }: SessionPreparation,
  { models, tools: assembled }: { readonly models: readonly ModelHandle[]; readonly tools: PreparedTools },
): PreparedAgent {
  const { environment, parts } = agent
  const { definition } = agent.member
  const { contextModel } = cache
  const { tools, system, isDegraded, release } = assembled
  const tooMany = tooManyTools(definition, tools.size, models)
  if (tooMany !== undefined) throw tooMany
  return enforceRestrictions({
    definition,
    system,
    models,
    ...(contextModel === undefined ? {} : { contextModel }),
    tools,
    hooks: parts.hooks,
    loopHooks: parts.loopHooks,
    ...(parts.guards === undefined ? {} : { guards: parts.guards }),
    validate: sources.validate,
    ...(agent.compose === undefined ? {} : { compose: agent.compose }),
    permission: permissionFor(definition, request, sources),
    env: (name) => environment.overlay.get(name),
    ...(isDegraded ? { isDegraded } : {}),
    release,
  })
}

function permissionFor(
  definition: AgentDefinition,
  { ancestry }: Pick<RunRequest, 'ancestry'>,
  sources: PreparerSources,
): PreparedAgent['permission'] {
  return effectivePermission(
    definition,
    ancestry.flatMap(({ name }) => sources.definition(name) ?? []),
  )
}

/**
 * Returns the nearest caller with models of its own, if the agent uses the models of its caller. Without such
 * a caller, the agent uses the default models.
 */
function findCaller(
  { member: { card } }: CheckedAgent,
  { ancestry }: Pick<RunRequest, 'ancestry'>,
  sources: PreparerSources,
): CheckedAgent | undefined {
  if (card.definition === undefined || !inheritsModel(card.definition)) return undefined
  for (const { name } of ancestry.toReversed()) {
    const agent = sources.agent(name)
    if (agent === undefined) continue
    const { definition, card: callerCard } = agent.member
    const inherits = inheritsModel(callerCard.definition ?? definition)
    if (!inherits && definition.model.length > 0) return agent
  }
  return undefined
}

/** Resolves the models on first use. Emits the warnings about models for every session. */
async function findModels(agent: CheckedAgent, options: SessionPreparation): Promise<readonly ModelHandle[]> {
  const { sources, cache: own } = options
  const { agent: owner, cache } = options.owner ?? { agent, cache: own }
  cache.models ??= await resolveModels(owner, sources.models)
  const { model } = agent.member.definition.context
  if (model !== undefined) own.contextModel ??= await resolveModelOf(model, agent, sources.models)
  const { models, warnings } = cache.models
  for (const warning of warnings) redactWarnings(options.warn, sources)(warning)
  return models
}

/** Returns the same tools and the same map as long as the servers list the same tools. */
function assembleOnce(
  { member, parts, servers }: CheckedAgent,
  cache: PreparationCache,
  { lists, unavailable }: ServerLists,
): AssembledTools {
  const known = cache.assembled
  if (known !== undefined && known.lists.every((list, index) => list === lists[index])) return known.tools
  const { servers: named, mcpServers } = member.definition
  // The check already reported servers that are undefined or disabled, or lack variables.
  const absent = [...named, ...Object.keys(mcpServers)].filter(
    (name) => !servers.some((own) => own.name === name),
  )
  const tools = assembleTools(member.definition, parts, {
    lists,
    unavailable: [...unavailable, ...absent],
  })
  cache.assembled = { lists, tools }
  return tools
}

/** Throws if a variable in `env` of the card is missing. Models and servers check their own. */
function requireVariables({ member, environment }: CheckedAgent): void {
  const missing = member.definition.env.filter((name) => environment.overlay.get(name) === undefined)
  if (missing.length > 0) throw new TroupeError(missingVariables(missing, environment))
}

/** Checked before the first model call. */
function tooManyTools(
  { name }: AgentDefinition,
  count: number,
  models: readonly ModelHandle[],
): TroupeError | undefined {
  const limited = models.find(({ maxTools = Infinity }) => count > maxTools)
  if (limited === undefined) return undefined
  return new TroupeError(
    failure(
      'tool_too_many',
      `The agent ${name} has ${count} tools; ${limited.id} accepts at most ${limited.maxTools}.`,
      'Filter the tools of its servers with `tools` in the card.',
    ),
  )
}

/**
 * Redacts secrets in errors. A session that failed to prepare has no redactor, and a server may print secrets
 * when it fails.
 */
async function redactErrors<T>(redactor: Redactor | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    if (redactor === undefined) throw thrown
    throw new TroupeError(redactValues(toFailure(thrown), redactor.redact))
  }
}

function redactWarnings(warn: Warn, { redactor }: PreparerSources): Warn {
  if (redactor === undefined) return warn
  return ({ message, ...rest }) => warn({ ...rest, message: redactor.redact(message) })
}
