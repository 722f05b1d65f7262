import { join } from 'node:path'
import { closest } from '@troupe/cards'
import { randomId, systemClock } from '@troupe/core'
import { redactValues } from '@troupe/env'
import { createMcpPool } from '@troupe/mcp'
import {
  createInProcessExecutor,
  createPooledAcquisition,
  type Acquisition,
  type InProcessExecutor,
  type Warn,
} from '@troupe/registry'
import {
  toolResult,
  troupeError,
  TroupeError,
  type AgentDefinition,
  type JsonObject,
  type RunOptions,
  type RunReport,
} from '@troupe/schema'
import { createFunctionWorkers, createValidator } from '@troupe/tools'
import { callTool } from './call-tool.ts'
import { permissionBelow } from './ceilings.ts'
import { isPoolable, type CheckedAgent } from './check-agent.ts'
import { diagnose } from './diagnose.ts'
import { fieldOrigin } from './field-origin.ts'
import type { Host, HostOptions, ResumeOptions, StreamAgent } from './host-types.ts'
import { createLineFiles } from './line-files.ts'
import { loadHost, type LoadedHost } from './load-host.ts'
import { inspectTeam } from './plan/inspect-team.ts'
import { createPreparer, type AgentPreparer } from './prepare-agent.ts'
import { createRootRuns } from './run-root.ts'
import { readStoredRun, refuseChanges, storedReport } from './stored-run.ts'
import { streamRun } from './stream-run.ts'
import { toInput } from './to-input.ts'
import { failedReport, problemFailure } from './to-report.ts'

const CLIENT = { name: 'troupe', version: '0.0.0' } as const

/** Loads a team and opens what its runs share. Bad cards are problems of the plan, never a rejection. */
export async function createHost(options: HostOptions): Promise<Host> {
  const workers = createFunctionWorkers()
  const loaded = await loadHost(options, { lineFiles: createLineFiles(), workers })
  const { redactor } = loaded
  const hidden = <T>(value: T): T => (redactor === undefined ? value : redactValues(value, redactor.redact))
  const clock = options.clock ?? systemClock
  const validate = createValidator()
  const pool = createMcpPool({
    client: CLIENT,
    baseEnv: options.env ?? {},
    clock,
    validate,
    ...(options.stateFolder === undefined ? {} : { processFolder: join(options.stateFolder, 'processes') }),
  })
  const models = { own: options.models ?? {}, providers: loaded.config.config.providers }
  const preparer = createPreparer({
    pool,
    validate,
    models,
    definition: (name) => loaded.catalogue.get(name),
    redactor,
  })
  const acquisition = options.acquisition ?? createPooledAcquisition()
  const executor = createExecutor(loaded, { preparer, acquisition })
  const roots = createRootRuns({ executor, clock, store: options.store, keeps: loaded.keeps, redactor })
  let closing: Promise<void> | undefined

  function find(name: string | undefined): CheckedAgent {
    if (closing !== undefined)
      throw troupeError('usage_invalid', 'The host is closed.', { fix: 'Open a new one.' })
    return findAgent(loaded, name)
  }

  async function run(
    agent: string | undefined | AgentDefinition,
    input: unknown,
    runOptions: RunOptions = {},
  ): Promise<RunReport> {
    const name = typeof agent === 'object' ? agent.name : agent
    const broken = brokenReport(loaded, name, runOptions)
    if (broken !== undefined) return hidden(broken)
    const { definition } = find(name).member
    const text = toInput(definition, input as string | JsonObject, validate)
    if (typeof text !== 'string') return hidden(failedReport(text, reportBase(definition, runOptions)))
    return roots.start({ definition, input: text, options: runOptions, starter: executor })
  }

  async function resume(
    runId: string,
    { acceptChanges = false, ...runOptions }: ResumeOptions = {},
  ): Promise<RunReport> {
    const { store } = options
    if (store === undefined) throw troupeError('usage_invalid', 'The host has no store to resume runs from.')
    const stored = await readStoredRun(store, runId, redactor)
    if (stored.end !== undefined) {
      for (const event of stored.events) runOptions.onEvent?.(event)
      return storedReport(stored, stored.end)
    }
    const { definition } = find(stored.request.agent.name).member
    if (!acceptChanges) refuseChanges(stored, loaded.catalogue)
    const { name, digest } = definition
    const request = { ...stored.request, agent: { name, digest } }
    return roots.resume({ definition, request, store, options: runOptions, starter: executor })
  }

  async function close(): Promise<void> {
    await roots.end()
    await acquisition.close()
    await Promise.all([pool.close(), workers.close(), loaded.runtime.close()])
    await options.store?.close()
  }

  return {
    plan: () => loaded.plan,
    redact: hidden,
    inspect: () => inspectTeam(loaded, preparer),
    diagnose: async () => hidden(await diagnose(loaded, { pool, clock, models, store: options.store })),
    agents: () => runnableAgents(loaded),
    definition: (name) => findAgent(loaded, name).member.definition,
    origin: (name, path) => {
      const { member } = findAgent(loaded, name)
      const isEntry = 'name' in loaded.entry && loaded.entry.name === member.definition.name
      return fieldOrigin(member, path, { options, config: loaded.config, isEntry })
    },
    run,
    resume,
    stream: ((agent: string | undefined | AgentDefinition, input: unknown, runOptions: RunOptions = {}) =>
      streamRun((all) => run(agent, input, all), runOptions)) as StreamAgent,
    tools: async (name) => {
      const agent = find(name)
      requireRunnable(loaded, agent)
      const warnings: string[] = []
      const warn: Warn = ({ message }) => void warnings.push(message)
      const prepared = await preparer.tools(agent, { principal: 'local', warn })
      return {
        tools: [...prepared.tools.values()],
        warnings,
        permission: permissionBelow(agent.member.definition, []),
        release: prepared.release,
      }
    },
    callTool: async (name, tool, args, callOptions = {}) => {
      const agent = find(name)
      const blocker = loaded.blocker(agent.member.definition.name)
      if (blocker !== undefined) return toolResult.failed(problemFailure(blocker))
      return callTool(agent, { tool, args, options: callOptions }, { loaded, preparer, roots })
    },
    close: () => (closing ??= close()),
    kill: () => {
      loaded.runtime.kill()
      pool.killAll()
    },
  }
}

/** Starts runs of the team; an agent with an error fails with it, whoever calls it. */
function createExecutor(
  loaded: LoadedHost,
  { preparer, acquisition }: { readonly preparer: AgentPreparer; readonly acquisition: Acquisition },
): InProcessExecutor {
  return createInProcessExecutor({
    catalogue: loaded.catalogue,
    prepare: async (definition, request, options) => {
      const agent = findAgent(loaded, definition.name)
      requireRunnable(loaded, agent)
      const { principal } = request
      if (!isPoolable(agent.servers)) return preparer.prepare(agent, request, { ...options, principal })
      const prepared = await acquisition.acquire({
        ...options,
        definition,
        request,
        key: () => JSON.stringify([definition.digest, agent.environment.overlay.fingerprint, principal]),
        create: (own) => preparer.prepare(agent, request, { ...own, principal }),
      })
      return definition.acquire.kind === 'fresh' ? prepared : preparer.bind(prepared, request)
    },
  })
}

/** The agent of a name, or the entry. Throws `agent_unknown` or `agent_ambiguous`. */
function findAgent({ agents, entry }: LoadedHost, name: string | undefined): CheckedAgent {
  if (name === undefined && 'problem' in entry) throw new TroupeError(problemFailure(entry.problem))
  const wanted = name ?? ('name' in entry ? entry.name : '')
  const agent = agents.get(wanted)
  if (agent !== undefined) return agent
  const meant = closest(wanted, agents.keys())
  const hint = meant === undefined ? '.' : `; did you mean "${meant}"?`
  throw troupeError(
    'agent_unknown',
    `There is no agent "${wanted}"${hint} Known: ${[...agents.keys()].join(', ') || 'none'}.`,
  )
}

function requireRunnable(loaded: LoadedHost, { member }: CheckedAgent): void {
  const blocker = loaded.blocker(member.definition.name)
  if (blocker !== undefined) throw new TroupeError(problemFailure(blocker))
}

function runnableAgents({ agents, entry, plan }: LoadedHost): readonly AgentDefinition[] {
  const first = 'name' in entry ? entry.name : undefined
  const names = plan.agents.filter((agent) => agent.runnable && !agent.hidden).map((agent) => agent.name)
  const ordered =
    first !== undefined && names.includes(first) ? [first, ...names.filter((name) => name !== first)] : names
  return ordered.flatMap((name) => agents.get(name)?.member.definition ?? [])
}

/** The report of an agent whose card could not be read: it was asked for, so that is a failed run and no misuse. */
function brokenReport(
  { agents, broken, entry }: LoadedHost,
  name: string | undefined,
  options: RunOptions,
): RunReport | undefined {
  const card =
    name === undefined
      ? broken.find((each) => 'problem' in entry && each.path === entry.problem.file)
      : agents.has(name)
        ? undefined
        : broken.find((each) => each.stem === name)
  const problem = card?.problems.find(({ severity }) => severity === 'error')
  if (card === undefined || problem === undefined) return undefined
  return failedReport(problemFailure(problem), {
    ...reportBase({ name: card.stem, output: { format: 'text' } }, options),
  })
}

function reportBase(
  { name, output }: Pick<AgentDefinition, 'name' | 'output'>,
  { runId = randomId('run'), sessionId = runId, output: wanted = output }: RunOptions,
): Parameters<typeof failedReport>[1] {
  return { runId, agent: name, sessionId, format: wanted.format }
}
