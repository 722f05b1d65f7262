import { preloadAgents, type RunWarning, type Warn } from '@troupe/registry'
import { toFailure, type Failure } from '@troupe/schema'
import { canonicalJson } from '@troupe/schema/json'
import type { AgentServer } from '../check/agent-servers.ts'
import type { CheckedAgent } from '../check/check-agent.ts'
import { planError, type PlanProblem } from '../config/plan-problem.ts'
import type { LoadedConfig } from '../config/read-config.ts'
import type { LoadedTeam } from '../plan/load-team.ts'
import type { KnownTools } from '../plan/tool-problems.ts'
import { resolveModelOf } from '../prepare/resolve-models.ts'
import { leaseServers, serverRequest } from '../servers/lease-servers.ts'
import { reachableFrom } from '../team/agent-graph.ts'
import type { HostPlan } from '../plan/host-plan.ts'
import type { AgentPreparer } from '../prepare/prepare-agent.ts'
import type { DiagnosisTools } from './diagnose.ts'

/** Options of `preflight`. */
export interface PreflightOptions {
  /** Names of the agents to check, together with those they can reach. Default: the entry agent. */
  readonly agents?: readonly string[]
  /** Also resolves the models, starts servers that sessions do not share and connects servers of remote cards. Default: connects shared servers of local cards. */
  readonly thorough?: boolean
  /**
   * An agent whose run starts at the same time. The run connects the servers of that agent and reports their
   * problems.
   */
  readonly running?: string
  /** False to stop the servers after the check. Default: they keep running for later sessions. */
  readonly keep?: boolean
  /** Aborts the check. Problems that were not found by then are not reported. */
  readonly signal?: AbortSignal
  /** Called with each problem as soon as it is found. */
  onProblem?(problem: PlanProblem): void
}

/**
 * Connects the MCP servers of every reachable agent, a few agents at a time and each server once. Returns
 * servers and models that cannot be used and are not problems of the plan yet. A server that its agents do
 * not require is a warning. Never rejects because something is missing.
 */
export async function preflight(
  loaded: LoadedTeam,
  tools: Pick<DiagnosisTools, 'pool' | 'models'>,
  options: PreflightOptions,
): Promise<readonly PlanProblem[]> {
  const { agents = 'name' in loaded.entry ? [loaded.entry.name] : [], running, thorough = false } = options
  const knownKeys = new Set<string>()
  const isNew = (key: string): boolean => !knownKeys.has(key) && knownKeys.add(key).size > 0
  const ownServers = running === undefined ? undefined : loaded.agents.get(running)
  for (const server of ownServers?.servers ?? [])
    if (ownServers !== undefined) isNew(keyOf(server, ownServers))
  const checked = reachableAgents(loaded, agents)
  return preloadAgents(
    checked.map(({ member }) => member.definition),
    async ({ name }) => {
      const agent = loaded.agents.get(name)
      if (agent === undefined || options.signal?.aborted === true) return []
      const isLocal = agent.member.definition.source.kind !== 'url'
      const servers = agent.servers.filter(
        (server) => (thorough || (isLocal && server.config.shared !== false)) && isNew(keyOf(server, agent)),
      )
      const found = await Promise.all([
        ...(thorough ? agent.member.definition.model.map((id) => checkModel(id, agent, tools)) : []),
        ...servers.map((server) => checkServer(server, agent, { ...options, pool: tools.pool })),
      ])
      const problems = found.filter((problem) => problem !== undefined && isNew(`problem ${problem.message}`))
      return problems as readonly PlanProblem[]
    },
  )
}

function reachableAgents(loaded: LoadedTeam, names: readonly string[]): readonly CheckedAgent[] {
  const members = new Map([...loaded.agents].map(([name, { member }]) => [name, member]))
  const reached = new Set(names.flatMap((name) => reachableFrom(members, name)))
  return [...reached].flatMap((name) =>
    loaded.blocker(name) === undefined ? (loaded.agents.get(name) ?? []) : [],
  )
}

async function checkModel(
  id: string,
  agent: CheckedAgent,
  { models }: Pick<DiagnosisTools, 'models'>,
): Promise<PlanProblem | undefined> {
  try {
    await resolveModelOf(id, agent, models)
    return undefined
  } catch (thrown) {
    return toProblem(toFailure(thrown, 'model_unknown'), agent)
  }
}

async function checkServer(
  server: AgentServer,
  agent: CheckedAgent,
  { pool, keep = true, signal, onProblem }: PreflightOptions & Pick<DiagnosisTools, 'pool'>,
): Promise<PlanProblem | undefined> {
  // A server that is not shared ends with its lease.
  const leased = keep ? server : { ...server, config: { ...server.config, shared: false } }
  try {
    const { release } = await leaseServers([leased], {
      pool,
      environment: agent.environment,
      principal: 'local',
      needsAll: true,
      signal,
      // Sessions that use the server report its warnings.
      warn: () => undefined,
    })
    await release()
    return undefined
  } catch (thrown) {
    if (signal?.aborted === true) return undefined
    const severity = server.config.required === false ? 'warning' : 'error'
    const problem = toProblem(toFailure(thrown), agent, severity)
    if (problem !== undefined) onProblem?.(problem)
    return problem
  }
}

/** Returns `undefined` for a missing variable, which the plan already reports. */
function toProblem(
  { code, message, remediation }: Failure,
  { member }: CheckedAgent,
  severity: PlanProblem['severity'] = 'error',
): PlanProblem | undefined {
  if (code === 'env_missing') return undefined
  const { card, definition } = member
  return { severity, code, message, fix: remediation, file: card.path, agent: definition.name }
}

function keyOf({ name, config, folder }: AgentServer, { environment }: CheckedAgent): string {
  return canonicalJson([name, config, folder, environment.overlay.fingerprint])
}

/** Tools and problems of the servers of one agent. */
interface Inspected {
  readonly name: string
  readonly known?: KnownTools
  readonly problems: readonly PlanProblem[]
}

/**
 * Returns the plan of a team including the tools of its MCP servers. Connects the servers of every agent
 * without errors, a few agents at a time, and releases them. A server that does not start is an error of its
 * agents. A server whose variables are missing is not connected; the plan already warns about them.
 */
export async function inspectTeam(loaded: LoadedTeam, preparer: AgentPreparer): Promise<HostPlan> {
  const definitions = [...loaded.agents.values()]
    .filter(
      ({ servers, member }) => servers.length > 0 && loaded.blocker(member.definition.name) === undefined,
    )
    .map(({ member }) => member.definition)
  const inspected = await preloadAgents(definitions, async ({ name }) => {
    const agent = loaded.agents.get(name)
    return agent === undefined ? [] : [await inspectAgent(agent, { preparer, config: loaded.config })]
  })
  return loaded.planWith({
    listed: new Map(inspected.flatMap(({ name, known }) => (known === undefined ? [] : [[name, known]]))),
    problems: withoutRepeats(inspected.flatMap(({ problems }) => problems)),
  })
}

/** Removes problems of a server that several agents share. */
function withoutRepeats(problems: readonly PlanProblem[]): readonly PlanProblem[] {
  return [...new Map(problems.map((problem) => [canonicalJson({ ...problem }), problem])).values()]
}

async function inspectAgent(
  agent: CheckedAgent,
  { preparer, config }: { readonly preparer: AgentPreparer; readonly config: LoadedConfig },
): Promise<Inspected> {
  const { definition, card } = agent.member
  const { name } = definition
  const location = { file: card.path, agent: name }
  const problems: PlanProblem[] = []
  const warn: Warn = (warning) => {
    const { code, message } = warning
    problems.push({ severity: 'warning', code, message, ...locationOf(warning, agent, config) })
  }
  const { environment } = agent
  const principal = 'local'
  const lacksVariables = (server: AgentServer): boolean =>
    serverRequest(server, { environment, principal }).missing.length > 0
  const servers = agent.servers.filter((server) => !lacksVariables(server))
  const unlisted = agent.servers.filter(lacksVariables).map((server) => server.name)
  try {
    const { tools, release } = await preparer.tools({ ...agent, servers }, { principal, warn })
    await release()
    return { name, known: { tools: [...tools.values()], unlisted }, problems }
  } catch (thrown) {
    const { code, message, remediation: fix } = toFailure(thrown)
    return { name, problems: [...problems, planError(code, message, { fix, ...location })] }
  }
}

/** Returns the location of a warning: the server in the file that defines it, else the key in the card. */
function locationOf(
  { server, path }: RunWarning,
  { member: { card, definition } }: CheckedAgent,
  { file, positionOf }: LoadedConfig,
): Pick<PlanProblem, 'file' | 'line' | 'column' | 'agent'> {
  const ofCard = { file: card.path, agent: definition.name }
  if (server === undefined) return { ...ofCard, ...(path === undefined ? {} : card.positionOf?.(path)) }
  const inFile = ['mcpServers', server]
  if (Object.hasOwn(definition.mcpServers, server)) return { ...ofCard, ...card.positionOf?.(inFile) }
  return file === undefined ? ofCard : { file, ...positionOf?.(inFile) }
}
