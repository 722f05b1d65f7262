import type { McpPool } from '@troupe/mcp'
import { PROVIDER_KEYS } from '@troupe/models'
import type { Containment } from '@troupe/process'
import { toFailure, type Clock, type Failure } from '@troupe/schema'
import { canonicalJson } from '@troupe/schema/json'
import type { RunStore } from '@troupe/schema/ports'
import type { AgentServer } from '../check/agent-servers.ts'
import type { CheckedAgent } from '../check/check-agent.ts'
import type { PlanProblem } from '../config/plan-problem.ts'
import type { PlannedVariable } from '../plan/host-plan.ts'
import type { LoadedTeam } from '../plan/load-team.ts'
import { resolveModelOf, type ModelSources } from '../prepare/resolve-models.ts'
import { leaseServers } from '../servers/lease-servers.ts'

/** The API key of a provider, without its value. */
export interface DiagnosedKey {
  readonly provider: string
  /** Name of the variable. */
  readonly name: string
  /** `override`, the file, or `process`. `undefined` if the variable is not set. */
  readonly origin?: string
}

/** A model that agents name. */
export interface DiagnosedModel {
  readonly id: string
  readonly agents: readonly string[]
  /** Reason why the model cannot be called. `undefined` if it resolves; no request is made. */
  readonly failure?: Failure
}

/** An MCP server that was connected to list its tools, then released. */
export interface DiagnosedServer {
  readonly name: string
  readonly agents: readonly string[]
  /** Number of tools. `undefined` if the server could not be connected. */
  readonly tools?: number
  readonly failure?: Failure
  readonly warnings: readonly string[]
  readonly durationMs: number
}

/** Result of checking everything that a team depends on. Plain data without secrets. */
export interface Diagnosis {
  readonly configFile?: string
  readonly agents: readonly string[]
  readonly keys: readonly DiagnosedKey[]
  readonly variables: readonly PlannedVariable[]
  readonly models: readonly DiagnosedModel[]
  readonly servers: readonly DiagnosedServer[]
  /** `none` if runs are not stored. */
  readonly store: 'none' | 'usable' | Failure
  /** How commands and MCP servers are contained with their child processes, and why there is no namespace. */
  readonly processes: { readonly containment: 'namespace' | 'group'; readonly reason?: string }
  readonly problems: readonly PlanProblem[]
}

/** Services used by a diagnosis. */
export interface DiagnosisTools {
  readonly pool: McpPool
  readonly clock: Clock
  readonly models: ModelSources
  readonly store: RunStore | undefined
  readonly containment: () => Promise<Containment>
}

/** Checks everything that a team depends on, without a model call: keys, models, servers and the store. */
export async function diagnose(loaded: LoadedTeam, tools: DiagnosisTools): Promise<Diagnosis> {
  const agents = [...loaded.agents.values()]
  const [models, servers, store, { kind, reason }] = await Promise.all([
    diagnoseModels(agents, tools.models),
    diagnoseServers(agents, tools),
    diagnoseStore(tools.store),
    tools.containment(),
  ])
  const { plan } = loaded
  return {
    ...(plan.configFile === undefined ? {} : { configFile: plan.configFile }),
    agents: plan.agents.map(({ name }) => name),
    keys: diagnoseKeys(loaded),
    variables: plan.variables,
    models,
    servers,
    store,
    processes: { containment: kind, ...(reason === undefined ? {} : { reason }) },
    problems: plan.problems,
  }
}

function diagnoseKeys({ environment }: LoadedTeam): readonly DiagnosedKey[] {
  return [...PROVIDER_KEYS].map(([provider, name]) => {
    const origin = environment.overlay.origin(name)
    return { provider, name, ...(origin === undefined ? {} : { origin }) }
  })
}

async function diagnoseModels(
  agents: readonly CheckedAgent[],
  sources: ModelSources,
): Promise<readonly DiagnosedModel[]> {
  const found = new Map<
    string,
    { readonly id: string; readonly agents: string[]; readonly failure?: Failure }
  >()
  for (const agent of agents) {
    const { name, model } = agent.member.definition
    for (const id of model) {
      const failure = await failureOf(resolveModelOf(id, agent, sources))
      const row = { id, agents: [name], ...(failure === undefined ? {} : { failure }) }
      addRow(found, JSON.stringify([id, failure?.message]), row)
    }
  }
  return [...found.values()]
}

/** Checks all servers concurrently, each once even if several agents share its definition. */
async function diagnoseServers(
  agents: readonly CheckedAgent[],
  tools: DiagnosisTools,
): Promise<readonly DiagnosedServer[]> {
  const rows = new Map<
    string,
    {
      readonly name: string
      readonly server: AgentServer
      readonly agents: string[]
      readonly agent: CheckedAgent
    }
  >()
  for (const agent of agents) {
    for (const server of agent.servers) {
      const key = `${server.name} ${canonicalJson(server.config)} ${server.folder} ${agent.environment.overlay.fingerprint}`
      addRow(rows, key, { name: server.name, server, agent, agents: [agent.member.definition.name] })
    }
  }
  return Promise.all([...rows.values()].map((row) => tryServer(row, tools)))
}

async function tryServer(
  {
    server,
    agent,
    agents,
  }: { readonly server: AgentServer; readonly agent: CheckedAgent; readonly agents: readonly string[] },
  { pool, clock }: DiagnosisTools,
): Promise<DiagnosedServer> {
  const warnings: string[] = []
  const startedAt = clock.monotonic()
  const toRow = (): Omit<DiagnosedServer, 'tools' | 'failure'> => ({
    name: server.name,
    agents,
    warnings,
    durationMs: Math.round(clock.monotonic() - startedAt),
  })
  try {
    const { leases, release } = await leaseServers([server], {
      pool,
      environment: agent.environment,
      principal: 'local',
      needsAll: true,
      warn: ({ message }) => void warnings.push(message),
    })
    await release()
    return { ...toRow(), tools: leases.reduce((sum, lease) => sum + lease.tools.length, 0) }
  } catch (thrown) {
    return { ...toRow(), failure: toFailure(thrown) }
  }
}

async function diagnoseStore(store: RunStore | undefined): Promise<Diagnosis['store']> {
  if (store === undefined) return 'none'
  return (await failureOf(Promise.resolve(store.list({ limit: 1 })))) ?? 'usable'
}

async function failureOf(work: Promise<unknown>): Promise<Failure | undefined> {
  try {
    await work
    return undefined
  } catch (thrown) {
    return toFailure(thrown)
  }
}

/** Adds a row, or merges its agents into the row with the same key. */
function addRow<T extends { readonly agents: string[] }>(found: Map<string, T>, key: string, row: T): void {
  const known = found.get(key)
  if (known === undefined) found.set(key, row)
  else known.agents.push(...row.agents)
}
