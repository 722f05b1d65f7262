import { resolve } from 'node:path'
import { systemClock } from '@troupe/core'
import { createSafeFetch } from '@troupe/fetch'
import type { PythonFunctions } from '@troupe/python'
import { createCatalogue, type Catalogue } from '@troupe/registry'
import type { Runtime } from '@troupe/runtime'
import type { Schedule } from '@troupe/schedules'
import type { AgentDefinition } from '@troupe/schema'
import type { Redactor, TeamOverrides } from '@troupe/schema/ports'
import { createRedactor, redactValues, secretsInUse, type Overlay, type Secret } from '@troupe/env'
import { createCardPool, type TeamCard, type UnsavedCard } from '../cards/card-pool.ts'
import { folderOf } from '../cards/card-reference.ts'
import { createRemoteCards, type RemoteCards } from '../cards/remote-cards.ts'
import { loadSkillsOf } from '../check/agent-parts.ts'
import type { CheckedAgent } from '../check/check-agent.ts'
import { appToolProblems, checkTeam, type TeamParts } from '../check/check-team.ts'
import { findInputProblems } from '../check/input-problems.ts'
import { createModelChecks } from '../check/model-checks.ts'
import { findTriggers } from '../check/team-triggers.ts'
import { loadCodes, type CodeServices } from '../code/load-code.ts'
import { createTeamPython, createTeamRuntime } from '../code/team-runtime.ts'
import { createConfiguredModels, type ConfiguredModels } from '../config/configured-models.ts'
import { createEnvironments, type Environment, type Environments } from '../config/environments.ts'
import type { HostOptions } from '../config/host-options.ts'
import type { PlanProblem } from '../config/plan-problem.ts'
import { readConfig, type ConfigLocation, type LoadedConfig } from '../config/read-config.ts'
import { reachableFrom } from '../team/agent-graph.ts'
import { addCardProviders } from '../team/card-providers.ts'
import type { Team } from '../team/collect-team.ts'
import type { TeamEntry } from '../team/find-entry.ts'
import { changeTeam, readTeam, type UncheckedTeam } from '../team/read-team.ts'
import type { HostPlan } from './host-plan.ts'
import { createBlockers, makePlan, type InspectedServers, type PlanParts } from './make-plan.ts'

/** A team that is read, resolved and checked, but not running. */
export interface LoadedTeam {
  readonly plan: HostPlan
  /** Returns the plan including the results of inspecting MCP servers. */
  planWith(inspected: InspectedServers): HostPlan
  /** Redacts the secrets of the team. `undefined` if there are none. */
  readonly redactor?: Redactor
  readonly config: LoadedConfig
  /** Environment of the folder of the first card. */
  readonly environment: Environment
  /** Date in its prompts. */
  readonly date: Date
  readonly entry: TeamEntry
  /** By agent name. */
  readonly agents: ReadonlyMap<string, CheckedAgent>
  readonly catalogue: Catalogue
  /** Runtime of its built-in tools. */
  readonly runtime: Runtime
  /** Loaded code by agent name. */
  readonly codes: TeamParts['codes']
  /** Its cards from URLs. */
  readonly remote: RemoteCards
  /** Python functions of its cards. */
  readonly python: PythonFunctions
  /** Schedules without errors. */
  readonly schedules: readonly Schedule[]
  /** Cards without an agent because of their errors. */
  readonly broken: readonly TeamCard[]
  /** Returns the first error that blocks an agent. */
  blocker(name: string): PlanProblem | undefined
  /**
   * Returns how much of a run of the agent is stored: the minimum of `store` over the agent and all agents it
   * can reach, since a run tree has one log.
   */
  storeDetailOf(name: string): AgentDefinition['store']
  /**
   * Returns the same team with changes to its cards. Nothing is read again; runtime, code and redactor are
   * shared.
   */
  withChanges(changes: TeamOverrides): LoadedTeam
}

/** An edit of a card that has not been saved. */
export interface TeamEdit {
  readonly unsaved: UnsavedCard
  /** The team without the edit. Code and cards from URLs are taken from it, and nothing new is loaded or fetched. */
  readonly saved: LoadedTeam
}

/**
 * Reads cards and configuration, finds the children, checks every agent and creates the plan. Never rejects
 * because of bad cards.
 */
export async function loadTeam(
  options: HostOptions,
  services: CodeServices,
  edit?: TeamEdit,
): Promise<LoadedTeam> {
  const cwd = resolve(options.cwd)
  const {
    allowHttp = false,
    allowPrivate = false,
    safeFetch = createSafeFetch({ clock: systemClock }),
  } = options.remote ?? {}
  const first = options.cards[0]
  const environmentsOf = createEnvironmentsOf({ ...options, cwd })
  const configured = readConfig({
    config: options.config,
    from: folderOf(first, cwd),
    cwd,
    home: options.home,
    environmentOf: (location) => environmentsOf(location).of(location.folder),
  })
  const modelWords = new Set(Object.keys(configured.config.models ?? {}))
  const rules = { allowHttp, allowPrivate }
  const now = options.date ?? new Date((options.clock ?? systemClock).now())
  const environments = environmentsOf(configured)
  const environment = environments.of(folderOf(first, cwd))
  const readOptions = {
    modelWords,
    formats: options.formats,
    workspace: cwd,
    home: options.home,
    now,
    variables: environment.overlay,
    entry: options.entry ?? (typeof first === 'string' ? resolve(cwd, first) : undefined),
  }
  const remote = edit?.saved.remote ?? createRemoteCards({ safeFetch, rules, folder: cwd, ...readOptions })
  const pool = createCardPool(cwd, remote, {
    ...readOptions,
    edited: options.edited ?? [],
    unsaved: edit?.unsaved,
  })
  const modelSettings = createConfiguredModels(configured.config)
  const settingsIn = (folder: string): ConfiguredModels => modelSettings(environments.of(folder).overlay)
  const read = (): UncheckedTeam => readTeam(options, { pool, cwd, config: configured, settingsIn })
  let found = read()
  if (edit === undefined) while (await remote.fetchWanted()) found = read()
  const { team } = found
  const config = addCardProviders(
    configured,
    [...team.members.values()].map(({ card }) => card),
  )
  const clock = options.clock ?? systemClock
  const python = createTeamPython(options, { config, clock })
  const parts: TeamParts = {
    options,
    config,
    environments,
    runtime: createTeamRuntime(team, { options, config, clock }),
    checkModel: createModelChecks({ providers: config.config.providers, packageFolder: config.folder }),
    codes:
      edit === undefined
        ? await loadCodes(team, { options, services, python, environments, codeRoots: codeRootsOf(config) })
        : loadedCodes(team, edit.saved),
    skills: loadSkillsOf(team),
    inputProblems: await findInputProblems(team),
    triggers: await findTriggers(team, { config, cards: options.cards, cwd }),
  }
  const agents = checkTeam(found, parts)
  const redactor = teamRedactor(agents.values(), { environments, config })
  return toLoaded(found, agents, { ...parts, python, environment, date: now, redactor, remote })
}

function codeRootsOf({ config, folder }: LoadedConfig): readonly string[] {
  return (config.codeRoots ?? []).map((root) => resolve(folder, root))
}

/** Returns the loaded code of the agents whose code an edit does not change. */
function loadedCodes({ members }: Team, saved: LoadedTeam): TeamParts['codes'] {
  return new Map(
    [...members].flatMap(([name, { definition }]) => {
      const before = saved.agents.get(name)?.member.definition
      const code = saved.codes.get(name)
      const isSame = before !== undefined && codeText(before) === codeText(definition)
      return code !== undefined && isSame ? [[name, code] as const] : []
    }),
  )
}

function codeText({ functionTools, toolHooks, loopHooks, guard, env }: AgentDefinition): string {
  return JSON.stringify([functionTools, toolHooks, loopHooks, guard, env])
}

/** Returns a function that creates the environments for a configuration, so that env files are read once. */
function createEnvironmentsOf(
  options: Omit<Parameters<typeof createEnvironments>[0], 'configFolder'>,
): (place: ConfigLocation) => Environments {
  let cached: { readonly configFolder: string | undefined; readonly environments: Environments } | undefined
  return ({ file, folder }) => {
    const configFolder = file === undefined ? undefined : folder
    if (cached === undefined || cached.configFolder !== configFolder)
      cached = { configFolder, environments: createEnvironments({ ...options, configFolder }) }
    return cached.environments
  }
}

function toLoaded(
  found: UncheckedTeam,
  agents: LoadedTeam['agents'],
  parts: TeamParts &
    Pick<LoadedTeam, 'python' | 'environment' | 'date' | 'remote'> & {
      readonly redactor: Redactor | undefined
    },
): LoadedTeam {
  const { team, entry } = found
  const { config, environment, date, python, redactor, runtime } = parts
  const planParts = planPartsOf(found, agents, parts)
  const redactIfNeeded = (plan: HostPlan): HostPlan =>
    redactor === undefined ? plan : redactPlan(plan, redactor)
  const plan = redactIfNeeded(makePlan(planParts))
  return {
    plan,
    planWith: (inspected) => redactIfNeeded(makePlan({ ...planParts, inspected })),
    ...(redactor === undefined ? {} : { redactor }),
    config,
    environment,
    date,
    entry,
    agents,
    codes: parts.codes,
    remote: parts.remote,
    runtime,
    python,
    schedules: parts.triggers.schedules,
    catalogue: createCatalogue([...team.members.values()].map((member) => member.definition)),
    broken: team.broken,
    blocker: memoize(createBlockers({ team, problems: plan.problems, general: planParts.general })),
    storeDetailOf: memoize((name) =>
      leastDetail(
        reachableFrom(team.members, name).map((reached) => team.members.get(reached)?.definition.store),
      ),
    ),
    withChanges: (changes) => {
      const next = changeTeam(found, changes)
      const change = { before: { team, agents }, model: changes.model }
      return toLoaded(next, checkTeam(next, parts, change), parts)
    },
  }
}

function planPartsOf(
  { team, entry, settings, configured }: UncheckedTeam,
  agents: LoadedTeam['agents'],
  { options, config, environments, triggers }: TeamParts,
): PlanParts {
  const unread = configured.filter((card) => card.definition === undefined && !team.broken.includes(card))
  return {
    team,
    agents,
    entry,
    general: [
      ...config.problems,
      ...environments.problems(),
      ...appToolProblems(team, options.tools),
      ...triggers.ofConfig,
    ],
    settings: [...settings, ...unread.flatMap((card) => card.problems), ...triggers.ofCards],
    configFile: config.file,
  }
}

/** Returns the minimum, `none` for an unknown agent. */
function leastDetail(stores: readonly (AgentDefinition['store'] | undefined)[]): AgentDefinition['store'] {
  if (stores.some((store) => store === undefined || store === 'none')) return 'none'
  return stores.includes('metadata') ? 'metadata' : 'full'
}

/** Caches the result for each name. */
function memoize<T>(compute: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>()
  return (name) => {
    const value = known.has(name) ? (known.get(name) as T) : compute(name)
    known.set(name, value)
    return value
  }
}

/**
 * Creates the redactor of a team. One redactor serves all runs of a host, since a secret of one agent can
 * reach others as argument, result or shared value. Secrets are variables with secret-like names, and the
 * values that the configuration and servers use as secrets.
 */
function teamRedactor(
  agents: Iterable<CheckedAgent>,
  { environments, config }: { readonly environments: Environments; readonly config: LoadedConfig },
): Redactor | undefined {
  const { providers = {}, mcpServers = {}, server = {}, slack = {}, runtime = {}, hooks = [] } = config.config
  const { overlay: ofSurfaces } = environments.of(config.folder)
  const secrets: Secret[] = [
    ...environments.secrets(),
    ...secretsInUse(server, ofSurfaces, 'server'),
    ...secretsInUse(slack, ofSurfaces, 'slack'),
    ...secretsInUse(runtime, ofSurfaces, 'runtime'),
    ...secretsInUse(Object.fromEntries(hooks.map((hook) => [hook.name, hook])), ofSurfaces, 'hooks'),
  ]
  // Most agents of a team share an environment, and many share servers.
  const seen = new Map<Overlay, Set<unknown>>()
  for (const { environment, servers } of agents) {
    const { overlay } = environment
    const known = seen.get(overlay)
    const scanned = known ?? new Set()
    seen.set(overlay, scanned)
    for (const { name, config: server } of servers.filter(
      (agentServer) => !scanned.has(agentServer.config),
    )) {
      secrets.push(...secretsInUse(server, overlay, `mcpServers.${name}`))
      scanned.add(server)
    }
    if (known !== undefined) continue
    secrets.push(
      ...secretsInUse(providers, overlay, 'providers'),
      ...secretsInUse(mcpServers, overlay, 'mcpServers'),
    )
  }
  return createRedactor(secrets)
}

/**
 * Removes secrets from a plan. Checks its JSON first, since most plans contain none; the redactor also knows
 * the JSON form of a secret.
 */
function redactPlan(plan: HostPlan, { redact }: Redactor): HostPlan {
  const whole = JSON.stringify(withoutDuplicates(plan))
  return redact(whole) === whole ? plan : redactValues(plan, redact)
}

/** Returns the plan with shared field reports listed once, as they make up most of it. */
function withoutDuplicates({ cards, ...rest }: HostPlan): object {
  const fields = new Set(cards.flatMap((card) => card.fields))
  return [rest, cards.map((card) => ({ ...card, fields: undefined })), [...fields]]
}
