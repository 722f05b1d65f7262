import { join, resolve } from 'node:path'
import { CARD_FORMATS } from '@troupe/card-formats'
import { systemClock } from '@troupe/core'
import { createFileLoginStore, createMcpPool } from '@troupe/mcp'
import { createContainmentProbe } from '@troupe/process'
import { createPooledSessionProvider } from '@troupe/registry'
import {
  LOCAL_PRINCIPAL,
  openApprovals,
  troupeError,
  type AgentDefinition,
  type RunOptions,
  type RunReport,
} from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import { createValidator } from '@troupe/tools'
import {
  approvalsFile,
  createPermanentApprovals,
  createRememberedApprovals,
} from '../approvals/remembered-approvals.ts'
import { createLineFiles } from '../code/load-code.ts'
import { surfaceSettings, writtenSettings } from '../config/read-config.ts'
import type { HostOptions } from '../config/host-options.ts'
import type { PlanProblem } from '../config/plan-problem.ts'
import { findConversation, listConversations } from '../conversations/stored-conversations.ts'
import { createRememberedConversations } from '../conversations/remembered-conversations.ts'
import { diagnose } from '../diagnosis/diagnose.ts'
import { inspectTeam, preflight } from '../diagnosis/preflight.ts'
import { findAgent, modelChoices, runnableAgents } from '../plan/find-agent.ts'
import { findWriteTarget } from '../plan/write-target.ts'
import { callTool, leaseTools } from '../runs/call-tool.ts'
import { decideCall } from '../runs/decide-call.ts'
import { purgeExpiredRuns } from '../runs/expired-runs.ts'
import { embedForTeam, embeddingProblem } from '../runs/embed-texts.ts'
import { forkRun } from '../runs/fork-run.ts'
import { replayRecording } from '../runs/replay-recording.ts'
import { resumeRun } from '../runs/resume-run.ts'
import { executeTask } from '../runs/execute-task.ts'
import { acceptRun, runAgent, streamRun } from '../runs/run-agent.ts'
import { createRunsContext } from '../runs/runs-context.ts'
import { changeTeamSnapshot, openTeamSnapshot, type TeamSnapshot } from '../snapshot/team-snapshot.ts'
import {
  createTeamSnapshots,
  useTeam,
  type TeamSnapshotFactory,
  type TeamSnapshots,
} from '../snapshot/team-snapshots.ts'
import { checkEdit } from '../snapshot/check-edit.ts'
import { fieldOrigin } from '../team/field-origin.ts'
import { createTeamWatches } from '../watch/watch-team.ts'
import type { Host, StreamAgent } from './host.ts'

const CLIENT = { name: 'troupe', version: '0.0.0' } as const

/** Host options with an optional `cwd`. Default: the working folder of the process. */
type CreateHostOptions = Omit<HostOptions, 'cwd'> & Partial<Pick<HostOptions, 'cwd'>>

/**
 * Loads a team and opens everything its runs share. Never rejects because of bad cards; they are problems of
 * the plan.
 */
export async function createHost(createOptions: CreateHostOptions): Promise<Host> {
  const containment = createOptions.containment ?? createContainmentProbe()
  const options = { formats: CARD_FORMATS, ...withFolder(createOptions), containment }
  const clock = options.clock ?? systemClock
  const validate = createValidator()
  const logins =
    typeof options.logins === 'string' ? createFileLoginStore({ folder: options.logins }) : options.logins
  const pool = createMcpPool({
    client: CLIENT,
    baseEnv: options.env ?? {},
    clock,
    ...(options.stateFolder === undefined ? {} : { processFolder: join(options.stateFolder, 'processes') }),
    containment,
    validate,
    ...(logins === undefined ? {} : { logins }),
    onSlowStart: (server) => options.onSlowServer?.(server),
  })
  const sessionProvider = options.sessionProvider ?? createPooledSessionProvider()
  const lineFiles = createLineFiles()
  const shared = { pool, clock, client: CLIENT, logins, validate, sessionProvider, lineFiles }
  let snapshotCount = 0
  const nextId = (): string => String((snapshotCount += 1))
  const open = (): Promise<TeamSnapshot> => openTeamSnapshot(nextId(), { options, shared })
  const change: TeamSnapshotFactory['change'] = (base, changes) =>
    changeTeamSnapshot(nextId(), base, { changes, shared })
  const team = createTeamSnapshots(await open(), { open, change, pool, formats: options.formats })
  await purgeExpiredRuns(options.store, team.current.loaded.config.config.store?.retention, clock.now())
  const watches = createTeamWatches(team, { options, clock })
  const conversationSources = { store: options.store, remembered: createRememberedConversations(clock) }
  const { stateFolder } = options
  const approvalsPath =
    stateFolder === undefined ? undefined : approvalsFile(resolve(options.cwd, stateFolder))
  const approvals = createRememberedApprovals(createPermanentApprovals(approvalsPath))
  const { random = Math.random } = options
  let closing: Promise<void> | undefined

  function requireOpen(): void {
    if (closing !== undefined)
      throw troupeError('usage_invalid', 'The host is closed.', { fix: 'Create a new host.' })
  }

  function requireStore(): RunStore {
    requireOpen()
    if (options.store === undefined)
      throw troupeError('usage_invalid', 'The host has no store to read runs from.')
    return options.store
  }

  const context = createRunsContext({
    clock,
    random,
    validate,
    team,
    ...conversationSources,
    dispatcher: options.dispatcher,
    tracer: options.tracer,
    approvals,
    runNote: options.runNote,
    requireOpen,
    requireStore,
  })
  const { live } = context
  const run = (
    agent: string | undefined | AgentDefinition,
    input: unknown,
    runOptions: RunOptions = {},
  ): Promise<RunReport> => runAgent(agent, input, runOptions, context)

  async function close(): Promise<void> {
    await Promise.all([live.end(), watches.close()])
    const sent = options.tracer?.shutdown()
    await sessionProvider.close()
    await Promise.all([pool.close(), team.end()])
    await options.dispatcher?.close()
    await options.store?.close()
    await sent
  }

  return {
    plan: () => team.current.loaded.plan,
    redact: team.redact,
    settings: (key) => surfaceSettings(team.current.loaded, key),
    writtenSettings: (key) => writtenSettings(team.current.loaded, key),
    schedules: () => team.current.loaded.schedules,
    inspect: () => useTeam(team, ({ loaded, preparer }) => inspectTeam(loaded, preparer)),
    diagnose: () =>
      useTeam(team, async ({ loaded, models, pool }) =>
        team.redact(await diagnose(loaded, { pool, clock, models, store: options.store, containment })),
      ),
    preflight: ({ onProblem, ...preflightOptions } = {}) =>
      useTeam(team, async ({ loaded, models, pool }) => {
        requireOpen()
        const report = onProblem && ((problem: PlanProblem) => onProblem(team.redact(problem)))
        const checks = { ...preflightOptions, ...(report === undefined ? {} : { onProblem: report }) }
        return team.redact(await preflight(loaded, { models, pool }, checks))
      }),
    servers: createTeamServers(team),
    models: () => modelChoices(team.current.loaded),
    folder: (path) => team.current.loaded.runtime.folder(path),
    agents: () => runnableAgents(team.current.loaded),
    definition: (name) => findAgent(team.current.loaded, name).member.definition,
    origin: (name, path) => {
      const { loaded } = team.current
      const { member } = findAgent(loaded, name)
      const isEntry = 'name' in loaded.entry && loaded.entry.name === member.definition.name
      return fieldOrigin(member, path, { options, config: loaded.config, isEntry })
    },
    run,
    accept: (agent, input, acceptOptions = {}) => acceptRun(agent, input, acceptOptions, context),
    execute: (task, services) => executeTask(task, services, context),
    resume: (runId, resumeOptions = {}) => resumeRun(runId, resumeOptions, context),
    fork: (runId, forkOptions) => forkRun(runId, forkOptions, context),
    replay: (text, replayOptions = {}) => replayRecording(text, replayOptions, context),
    session: async (sessionId, { principal = LOCAL_PRINCIPAL } = {}) => {
      requireOpen()
      return findConversation({ sessionId, principal }, conversationSources)
    },
    sessions: async ({ principal = LOCAL_PRINCIPAL, limit } = {}) => {
      requireOpen()
      return listConversations({ principal, limit }, conversationSources)
    },
    approvals: async (runId) => openApprovals(await requireStore().events(runId)),
    writeTarget: (call) =>
      options.dispatcher === undefined
        ? useTeam(team, ({ loaded }) => findWriteTarget(call, loaded))
        : Promise.resolve(undefined),
    isWaiting: (runId) => live.isWaiting(runId),
    decide: async (rootRunId, approvalId, decision) =>
      decideCall(rootRunId, { approvalId, decision }, context),
    stream: ((agent: string | undefined | AgentDefinition, input: unknown, runOptions: RunOptions = {}) =>
      streamRun((all) => run(agent, input, all), runOptions)) as StreamAgent,
    tools: async (name) => {
      requireOpen()
      return leaseTools(team.current, name)
    },
    callTool: (name, tool, args, callOptions = {}) =>
      callTool(name, { tool, args, options: callOptions }, context),
    embed: (model, texts, embedOptions = {}) => embedForTeam(model, texts, embedOptions, context),
    embeddingProblem: (model) => embeddingProblem(model, team.current),
    reload: async () => {
      requireOpen()
      return team.reload()
    },
    checkEdit: async (unsaved) => {
      requireOpen()
      return checkEdit(unsaved, { options, saved: team.current.loaded, lineFiles })
    },
    watch: async (watchOptions = {}) => {
      requireOpen()
      return watches.open(watchOptions)
    },
    holdOnceCalls: () => live.holdOnceCalls(),
    close: () => (closing ??= close()),
    kill: () => {
      team.kill()
      pool.killAll()
    },
  }
}

function withFolder(options: CreateHostOptions): HostOptions {
  const { cards, cwd = '.' }: { readonly cards?: unknown; readonly cwd?: string } = options
  if (!Array.isArray(cards))
    throw troupeError('usage_invalid', 'createHost requires `cards`.', {
      fix: "Pass `cards: ['./team']`: files, folders, or definitions created with defineAgent.",
    })
  return { ...options, cwd: resolve(cwd) }
}

/** Returns the servers of the current team snapshot. */
function createTeamServers(team: TeamSnapshots): Host['servers'] {
  return {
    list: () => useTeam(team, ({ servers }) => servers.list()),
    tools: (name) => useTeam(team, ({ servers }) => servers.tools(name)),
    prompts: (name) => useTeam(team, ({ servers }) => servers.prompts(name)),
    prompt: (name, request) => useTeam(team, ({ servers }) => servers.prompt(name, request)),
    open: (server) => useTeam(team, ({ servers }) => servers.open(server)),
    logIn: (name, login) => useTeam(team, ({ servers }) => servers.logIn(name, login)),
    logOut: (name) => useTeam(team, ({ servers }) => servers.logOut(name)),
    lock: (lock) => useTeam(team, ({ servers }) => servers.lock(lock)),
  }
}
