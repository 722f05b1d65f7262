import { join, resolve } from 'node:path'
import { systemClock } from '@troupe/core'
import { createFileLoginStore, createMcpPool } from '@troupe/mcp'
import { createContainmentProbe } from '@troupe/process'
import { createPooledAcquisition } from '@troupe/registry'
import {
  LOCAL_PRINCIPAL,
  openApprovals,
  toolResult,
  troupeError,
  type AgentDefinition,
  type RunOptions,
  type RunReport,
  type RunStore,
} from '@troupe/schema'
import { createValidator } from '@troupe/tools'
import { answersFile, createAlwaysAnswers } from './approval/always-answers.ts'
import { decideForLonger } from './approval/decide-for-longer.ts'
import { createRememberedAnswers } from './approval/remembered-answers.ts'
import { createLineFiles } from './code/line-files.ts'
import { surfaceSettings } from './config/surface-settings.ts'
import { findConversation, listConversations } from './conversation/list-conversations.ts'
import { rememberedConversations } from './conversation/remembered-conversations.ts'
import { fieldOrigin } from './definition/field-origin.ts'
import { diagnose } from './diagnosis/diagnose.ts'
import { preflight } from './diagnosis/preflight.ts'
import { changeGeneration, openGeneration, type Generation } from './generation.ts'
import type { Host, HostOptions, StreamAgent } from './host-types.ts'
import { inspectTeam } from './plan/inspect-team.ts'
import { modelChoices } from './plan/model-choices.ts'
import type { PlanProblem } from './plan/plan-types.ts'
import { createTeamGenerations, type GenerationMaker } from './reload/team-generations.ts'
import { createTeamWatches } from './reload/team-watches.ts'
import { forgetAtStart } from './retention/forget-at-start.ts'
import { createRootRuns } from './roots/root-runs.ts'
import { callTool } from './runs/call-tool.ts'
import { findAgent, runnableAgents } from './runs/find-agent.ts'
import { forkRun } from './runs/fork-run.ts'
import { leaseTools } from './runs/lease-tools.ts'
import { replayRecording } from './runs/replay-recording.ts'
import { resumeRun } from './runs/resume-run.ts'
import { runAgent } from './runs/run-agent.ts'
import { streamRun } from './runs/stream-run.ts'
import { problemFailure } from './runs/to-report.ts'
import { useTeam } from './runs/use-team.ts'
import { serversOfTeam } from './servers/servers-of-team.ts'

const CLIENT = { name: 'troupe', version: '0.0.0' } as const

/** Host options with an optional `cwd`. Default: the working folder of the process. */
export type GivenHostOptions = Omit<HostOptions, 'cwd'> & Partial<Pick<HostOptions, 'cwd'>>

/**
 * Loads a team and opens everything its runs share. Never rejects because of bad cards; they are problems of
 * the plan.
 */
export async function createHost(given: GivenHostOptions): Promise<Host> {
  const containment = given.containment ?? createContainmentProbe()
  const options = { ...withFolder(given), containment }
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
  })
  const acquisition = options.acquisition ?? createPooledAcquisition()
  const lineFiles = createLineFiles()
  const shared = { pool, clock, client: CLIENT, logins, validate, acquisition, lineFiles }
  let made = 0
  const nextId = (): string => String((made += 1))
  const open = (): Promise<Generation> => openGeneration(nextId(), { options, shared })
  const change: GenerationMaker['change'] = (base, changes) =>
    changeGeneration(nextId(), base, { changes, shared })
  const team = createTeamGenerations(await open(), { open, change, pool })
  await forgetAtStart(options.store, team.current.loaded.config.config.store?.retention, clock.now())
  const watches = createTeamWatches(team, { options, clock })
  const places = { store: options.store, remembered: rememberedConversations(clock) }
  const { stateFolder } = options
  const kept = stateFolder === undefined ? undefined : answersFile(resolve(options.cwd, stateFolder))
  const answers = createRememberedAnswers(createAlwaysAnswers(kept))
  const { random = Math.random } = options
  const roots = createRootRuns({ clock, random, ...places, answers })
  let closing: Promise<void> | undefined

  function requireOpen(): void {
    if (closing !== undefined)
      throw troupeError('usage_invalid', 'The host is closed.', { fix: 'Open a new one.' })
  }

  function requireStore(): RunStore {
    requireOpen()
    if (options.store === undefined)
      throw troupeError('usage_invalid', 'The host has no store to take runs from.')
    return options.store
  }

  const context = { clock, validate, team, roots, requireOpen, requireStore }
  const run = (
    agent: string | undefined | AgentDefinition,
    input: unknown,
    runOptions: RunOptions = {},
  ): Promise<RunReport> => runAgent({ agent, input, options: runOptions }, context)

  async function close(): Promise<void> {
    await Promise.all([roots.end(), watches.close()])
    await acquisition.close()
    await Promise.all([pool.close(), team.end()])
    await options.store?.close()
  }

  return {
    plan: () => team.current.loaded.plan,
    redact: team.redact,
    settings: (key) => surfaceSettings(team.current.loaded, key),
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
    servers: serversOfTeam(team),
    models: () => modelChoices(team.current.loaded),
    agents: () => runnableAgents(team.current.loaded),
    definition: (name) => findAgent(team.current.loaded, name).member.definition,
    origin: (name, path) => {
      const { loaded } = team.current
      const { member } = findAgent(loaded, name)
      const isEntry = 'name' in loaded.entry && loaded.entry.name === member.definition.name
      return fieldOrigin(member, path, { options, config: loaded.config, isEntry })
    },
    run,
    resume: (runId, resumeOptions = {}) => resumeRun(runId, resumeOptions, context),
    fork: (runId, forkOptions) => forkRun(runId, forkOptions, context),
    replay: (text, replayOptions = {}) => replayRecording(text, replayOptions, context),
    session: async (sessionId, { principal = LOCAL_PRINCIPAL } = {}) => {
      requireOpen()
      return findConversation({ sessionId, principal }, places)
    },
    sessions: async ({ principal = LOCAL_PRINCIPAL, limit } = {}) => {
      requireOpen()
      return listConversations({ principal, limit }, places)
    },
    approvals: async (runId) => openApprovals(await requireStore().events(runId)),
    decide: async (rootRunId, approvalId, decision) =>
      decideForLonger(
        rootRunId,
        { approvalId, decision },
        { store: requireStore(), roots, answers, placeOf: team.current.placeOf },
      ),
    stream: ((agent: string | undefined | AgentDefinition, input: unknown, runOptions: RunOptions = {}) =>
      streamRun((all) => run(agent, input, all), runOptions)) as StreamAgent,
    tools: async (name) => {
      requireOpen()
      return leaseTools(team.current, name)
    },
    callTool: (name, tool, args, callOptions = {}) =>
      useTeam(team, async (generation) => {
        requireOpen()
        const agent = findAgent(generation.loaded, name)
        const blocker = generation.loaded.blocker(agent.member.definition.name)
        if (blocker !== undefined) return toolResult.failed(problemFailure(blocker))
        return callTool(agent, { tool, args, options: callOptions }, { generation, roots })
      }),
    reload: async () => {
      requireOpen()
      return team.reload()
    },
    watch: async (watchOptions = {}) => {
      requireOpen()
      return watches.open(watchOptions)
    },
    holdOnceCalls: () => roots.holdOnceCalls(),
    close: () => (closing ??= close()),
    kill: () => {
      team.kill()
      pool.killAll()
    },
  }
}

function withFolder(given: GivenHostOptions): HostOptions {
  const { cards, cwd = '.' }: { readonly cards?: unknown; readonly cwd?: string } = given
  if (!Array.isArray(cards))
    throw troupeError('usage_invalid', 'createHost was given no list of `cards`.', {
      fix: "Pass `cards: ['./team']`: files, folders, or definitions made by defineAgent.",
    })
  return { ...given, cwd: resolve(cwd) }
}
