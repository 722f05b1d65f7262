import { join, resolve } from 'node:path'
import { createReplay, differenceText, firstChange, firstDifference, readCassette } from '@troupe/cassette'
import { childRunId, randomId, systemClock } from '@troupe/core'
import { createFileLoginStore, createMcpPool } from '@troupe/mcp'
import { createPooledAcquisition, type Warn } from '@troupe/registry'
import {
  failure,
  LOCAL_PRINCIPAL,
  openApprovals,
  toolResult,
  troupeError,
  type AgentDefinition,
  type JsonObject,
  type RunOptions,
  type RunReport,
  type RunStore,
  type TeamChanges,
} from '@troupe/schema'
import { createValidator } from '@troupe/tools'
import { answersFile, createAlwaysAnswers } from './approval/always-answers.ts'
import { decideForLonger } from './approval/decide-for-longer.ts'
import { createRememberedAnswers } from './approval/remembered-answers.ts'
import { brokenReport, reportBase } from './runs/broken-report.ts'
import { callTool } from './runs/call-tool.ts'
import { permissionBelow } from './prepare/ceilings.ts'
import { diagnose } from './diagnosis/diagnose.ts'
import { fieldOrigin } from './definition/field-origin.ts'
import { findConversation, listConversations } from './conversation/list-conversations.ts'
import { rememberedConversations } from './conversation/remembered-conversations.ts'
import { withHistory } from './conversation/stored-history.ts'
import { copyPrefix } from './fork/copy-prefix.ts'
import { findStep } from './fork/find-step.ts'
import { forkedRequest } from './fork/forked-request.ts'
import { findAgent, requireRunnable, runnableAgents } from './runs/find-agent.ts'
import { openGeneration, type Generation } from './generation.ts'
import type {
  Fork,
  ForkOptions,
  Host,
  HostOptions,
  ReplayOptions,
  ResumeOptions,
  StreamAgent,
} from './host-types.ts'
import { createLineFiles } from './code/line-files.ts'
import { modelChoices } from './plan/model-choices.ts'
import { inspectTeam } from './plan/inspect-team.ts'
import { createTeamGenerations } from './reload/team-generations.ts'
import { createTeamWatches } from './reload/team-watches.ts'
import { createReplayExecutor } from './replay/replay-executor.ts'
import { replayRedactor } from './replay/replay-redactor.ts'
import { forgetAtStart } from './retention/forget-at-start.ts'
import type { OpenReplay } from './roots/replay-root.ts'
import { createRootRuns } from './roots/root-runs.ts'
import { readStoredRun, refuseChanges, storedReport, unfinishedAgents } from './runs/stored-run.ts'
import { streamRun } from './runs/stream-run.ts'
import { surfaceSettings } from './config/surface-settings.ts'
import { mergeChanges, storedChanges } from './team/team-changes.ts'
import { toInput } from './runs/to-input.ts'
import { failedReport, problemFailure } from './runs/to-report.ts'

const CLIENT = { name: 'troupe', version: '0.0.0' } as const

/** Loads a team and opens what its runs share. Bad cards are problems of the plan, never a rejection. */
export async function createHost(options: HostOptions): Promise<Host> {
  const clock = options.clock ?? systemClock
  const validate = createValidator()
  const logins =
    typeof options.logins === 'string' ? createFileLoginStore({ folder: options.logins }) : options.logins
  const pool = createMcpPool({
    client: CLIENT,
    baseEnv: options.env ?? {},
    clock,
    ...(options.stateFolder === undefined ? {} : { processFolder: join(options.stateFolder, 'processes') }),
    validate,
    ...(logins === undefined ? {} : { logins }),
  })
  const acquisition = options.acquisition ?? createPooledAcquisition()
  const lineFiles = createLineFiles()
  const shared = { pool, clock, client: CLIENT, logins, validate, acquisition, lineFiles }
  let loads = 0
  const open = (changes?: TeamChanges): Promise<Generation> =>
    openGeneration(String((loads += 1)), { options, shared, changes })
  const team = createTeamGenerations(await open(), { open, pool })
  await forgetAtStart(options.store, team.current.loaded.config.config.store?.retention, clock.now())
  const watches = createTeamWatches(team, { options, clock })
  const places = { store: options.store, remembered: rememberedConversations(clock) }
  const { stateFolder } = options
  const kept = stateFolder === undefined ? undefined : answersFile(resolve(options.cwd, stateFolder))
  const answers = createRememberedAnswers(createAlwaysAnswers(kept))
  const { random = Math.random } = options
  const roots = createRootRuns({ clock, random, ...places, answers })
  let closing: Promise<void> | undefined

  /** Lends the team in force, or the team with changes, to the work, which keeps it to its end whatever is reloaded meanwhile. */
  async function using<T>(work: (generation: Generation) => Promise<T>, changes?: TeamChanges): Promise<T> {
    const { current } = team
    const { generation, release } =
      changes === undefined ? { generation: current, release: current.hold() } : await team.lend(changes)
    try {
      return await work(generation)
    } finally {
      release()
    }
  }

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

  function run(
    agent: string | undefined | AgentDefinition,
    input: unknown,
    runOptions: RunOptions = {},
  ): Promise<RunReport> {
    const name = typeof agent === 'object' ? agent.name : agent
    const { model } = runOptions
    return using(
      async (generation) => {
        const { loaded } = generation
        const broken = brokenReport(loaded, name, runOptions)
        if (broken !== undefined) return team.redact(broken)
        requireOpen()
        const { definition } = findAgent(loaded, name).member
        const text = toInput(definition, input as string | JsonObject, { ...runOptions, validate })
        if (typeof text !== 'string')
          return team.redact(failedReport(text, reportBase(definition, runOptions)))
        const { executor: starter } = generation
        return roots.start({ team: generation, definition, input: text, options: runOptions, starter })
      },
      model === undefined ? undefined : { model },
    )
  }

  async function resume(
    runId: string,
    { acceptChanges = false, ...runOptions }: ResumeOptions = {},
  ): Promise<RunReport> {
    const store = requireStore()
    const changes = await storedChanges(store, runId, team.current.redactor)
    return using(async (generation) => {
      const { loaded, redactor, executor: starter } = generation
      const stored = await readStoredRun(store, runId, redactor)
      if (stored.end !== undefined) {
        for (const event of stored.events) runOptions.onEvent?.(event)
        return storedReport(stored, stored.end)
      }
      const { definition } = findAgent(loaded, stored.request.agent.name).member
      if (!acceptChanges) refuseChanges(stored, loaded.catalogue)
      const { name, digest } = definition
      const begun = await withHistory(stored.request, { store, redactor })
      const request = { ...begun, agent: { name, digest } }
      return roots.resume({ team: generation, definition, request, store, options: runOptions, starter })
    }, changes)
  }

  async function fork(
    runId: string,
    { at, acceptChanges = [], note, prompts = {}, ...runOptions }: ForkOptions,
  ): Promise<Fork> {
    const store = requireStore()
    const before = await storedChanges(store, runId, team.current.redactor)
    const changes = mergeChanges(before, { prompts })
    return using(async (generation) => {
      const { loaded, redactor, executor: starter } = generation
      const stored = await readStoredRun(store, runId, redactor)
      const count = findStep(stored.events, at)
      const { definition } = findAgent(loaded, stored.request.agent.name).member
      const unfinished = unfinishedAgents(stored.events.slice(0, count))
      if (acceptChanges !== true)
        refuseChanges({ ...stored, unfinished }, loaded.catalogue, [
          ...(acceptChanges === false ? [] : acceptChanges),
          ...Object.keys(prompts),
        ])
      const newRunId = runOptions.runId ?? randomId('run')
      const request = forkedRequest(stored.request, { newRunId, definition, note, team: changes })
      const prefix = await copyPrefix(stored.events, {
        count,
        request,
        steps: async (id) => store.steps(runId, id),
        definition: (name) => loaded.catalogue.get(name),
      })
      const options = runOptions
      const report = await roots.fork({
        team: generation,
        definition,
        request: await withHistory(request, { store, redactor }),
        prefix,
        store,
        options,
        starter,
      })
      const change = firstChange(stored.events, await store.events(newRunId))
      return { report, taken: count, ...(change === undefined ? {} : { change }) }
    }, changes)
  }

  function replay(
    text: string,
    { file = 'The recording', ...runOptions }: ReplayOptions = {},
  ): Promise<RunReport> {
    return using(async (generation) => {
      requireOpen()
      const cassette = readCassette(text, file)
      const { input = cassette.input } = runOptions
      const { loaded, redactor, executor: starter } = generation
      const { definition } = findAgent(loaded, cassette.agent).member
      const told = toInput(definition, input, { validate })
      const found = typeof told === 'string' ? firstDifference(cassette.input, told) : undefined
      if (found !== undefined)
        return failedReport(
          failure('replay_mismatch', `${differenceText(found, `The input of ${file}`)}.`),
          reportBase(definition, runOptions),
        )
      const team = { ...generation, redactor: replayRedactor(redactor) }
      const open: OpenReplay = (onMismatch) => {
        const { seal } = team.redactor
        const played = createReplay(cassette, { childId: childRunId, clock, seal, onMismatch })
        return {
          replay: played,
          executor: createReplayExecutor(loaded, { cassette, replay: played, validate }),
        }
      }
      return roots.replay({ team, definition, cassette, open, options: runOptions, starter })
    })
  }

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
    inspect: () => using(({ loaded, preparer }) => inspectTeam(loaded, preparer)),
    diagnose: () =>
      using(async ({ loaded, models, pool }) =>
        team.redact(await diagnose(loaded, { pool, clock, models, store: options.store })),
      ),
    servers: serversOf(using),
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
    resume,
    fork,
    replay,
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
      using(async (generation) => {
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
    close: () => (closing ??= close()),
    kill: () => {
      team.kill()
      pool.killAll()
    },
  }
}

/** The servers of the team in force. */
function serversOf(using: <T>(work: (generation: Generation) => Promise<T>) => Promise<T>): Host['servers'] {
  return {
    list: () => using(({ servers }) => servers.list()),
    tools: (name) => using(({ servers }) => servers.tools(name)),
    prompts: (name) => using(({ servers }) => servers.prompts(name)),
    prompt: (name, asked) => using(({ servers }) => servers.prompt(name, asked)),
    logIn: (name, login) => using(({ servers }) => servers.logIn(name, login)),
    logOut: (name) => using(({ servers }) => servers.logOut(name)),
    lock: (lock) => using(({ servers }) => servers.lock(lock)),
  }
}

/** The tools of an agent; its generation lasts as long as the lease. */
async function leaseTools(generation: Generation, name: string | undefined): ReturnType<Host['tools']> {
  const { loaded, preparer } = generation
  const agent = findAgent(loaded, name)
  requireRunnable(loaded, agent)
  const forget = generation.hold()
  const warnings: string[] = []
  const warn: Warn = ({ message }) => void warnings.push(message)
  try {
    const prepared = await preparer.tools(agent, { principal: 'local', warn })
    return {
      tools: [...prepared.tools.values()],
      warnings,
      permission: permissionBelow(agent.member.definition, []),
      release: () => prepared.release().finally(forget),
    }
  } catch (thrown) {
    forget()
    throw thrown
  }
}
