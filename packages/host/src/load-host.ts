import { resolve } from 'node:path'
import { redactValues } from '@troupe/env'
import { systemClock } from '@troupe/core'
import { createSafeFetch } from '@troupe/fetch'
import { createCatalogue, preloadAgents, type Catalogue } from '@troupe/registry'
import type { Runtime } from '@troupe/runtime'
import { getOwn, type AgentDefinition, type Redactor, type TeamChanges } from '@troupe/schema'
import { reachableFrom } from './team/agent-graph.ts'
import { bringsCode, loadCode, NO_CODE, type CodeServices, type LoadedCode } from './code/load-code.ts'
import { applySettings } from './definition/apply-settings.ts'
import { createCardPool, type CardPool, type TeamCard } from './team/card-pool.ts'
import { checkAgent, type CheckedAgent } from './check/check-agent.ts'
import { effectiveDefinition } from './definition/effective-definition.ts'
import { createEnvironments, type Environment, type Environments } from './config/environments.ts'
import { findEntry, type Entry } from './team/find-entry.ts'
import { configuredCards, folderOf, givenCards, isGivenFolder } from './team/given-cards.ts'
import type { HostOptions } from './host-types.ts'
import { loadTeam, type Team, type TeamMember } from './team/load-team.ts'
import { createBlockers, makePlan, type InspectedServers, type PlanParts } from './plan/make-plan.ts'
import { createModelChecks } from './check/model-checks.ts'
import { createNearCards } from './team/near-cards.ts'
import type { HostPlan, PlanProblem } from './plan/plan-types.ts'
import { readConfig, type LoadedConfig } from './config/read-config.ts'
import { createTeamRuntime } from './team/team-runtime.ts'
import { createRemoteCards } from './remote/remote-cards.ts'
import { teamRedactor } from './team/team-redactor.ts'

/** A team that is read, resolved and checked; nothing of it runs. */
export interface LoadedHost {
  readonly plan: HostPlan
  /** The plan when the MCP servers of agents were asked for their tools. */
  planWith(inspected: InspectedServers): HostPlan
  /** Hides the secrets of the team; none: nothing is known to hide. */
  readonly redactor?: Redactor
  readonly config: LoadedConfig
  /** That of the folder of the first card. */
  readonly environment: Environment
  readonly entry: Entry
  /** By name. */
  readonly agents: ReadonlyMap<string, CheckedAgent>
  readonly catalogue: Catalogue
  /** What its built-in tools run in. */
  readonly runtime: Runtime
  /** Cards that hold no agent because of their errors. */
  readonly broken: readonly TeamCard[]
  /** The first error that keeps an agent from running. */
  blocker(name: string): PlanProblem | undefined
  /** How much is kept of a run of the agent: the least that it, or one it can reach, allows with `store`, as a root has one log for all. */
  keeps(name: string): AgentDefinition['store']
}

/** Reads cards and configuration, finds the children, checks every agent, and makes the plan; `changes` stand in place of what cards say. Never rejects for bad cards. */
export async function loadHost(
  options: HostOptions,
  services: CodeServices,
  changes: TeamChanges = {},
): Promise<LoadedHost> {
  const cwd = resolve(options.cwd)
  const {
    allowHttp = false,
    allowPrivate = false,
    safeFetch = createSafeFetch({ clock: systemClock }),
  } = options.remote ?? {}
  const first = options.cards[0]
  const config = readConfig({
    config: options.config,
    from: folderOf(first, cwd),
    cwd,
    home: options.home,
  })
  const modelWords = new Set(Object.keys(config.config.models ?? {}))
  const rules = { allowHttp, allowPrivate }
  const remote = createRemoteCards({ safeFetch, rules, folder: cwd, modelWords })
  const pool = createCardPool(cwd, remote, { ...options, modelWords })
  const environments = createEnvironments({
    ...options,
    cwd,
    configFolder: config.file === undefined ? undefined : config.folder,
  })
  const read = (): FoundTeam => readTeam(options, { pool, cwd, config, changes })
  let found = read()
  while (await remote.fetchWanted()) found = read()
  const { configured } = found
  const runtime = createTeamRuntime(found.team, { options, config, clock: options.clock ?? systemClock })
  const agents = await checkTeam(found, { options, config, environments, services, runtime, changes })
  const environment = environments.of(folderOf(first, cwd))
  return finish(found, { agents, config, environments, environment, configured, runtime })
}

interface FoundTeam {
  /** The cards of the configuration. */
  readonly configured: readonly TeamCard[]
  readonly team: Team
  readonly entry: Entry
  /** What is wrong with the settings of the entry agent. */
  readonly settings: readonly PlanProblem[]
}

/** The team as far as its cards are there. */
function readTeam(
  options: HostOptions,
  {
    pool,
    cwd,
    config,
    changes,
  }: {
    readonly pool: CardPool
    readonly cwd: string
    readonly config: LoadedConfig
    readonly changes: TeamChanges
  },
): FoundTeam {
  const named = options.cards.map((card) => givenCards(card, { pool, cwd }))
  const extra = (options.extraCards ?? []).flatMap((path) => givenCards(path, { pool, cwd }))
  const configured = (config.config.agents ?? []).flatMap((path) => configuredCards(path, pool, config))
  const team = resolveTeam(options, {
    pool,
    config,
    changes,
    cards: [...named.flat(), ...extra],
    configured,
    first: { cards: named[0] ?? [], isFolder: isGivenFolder(options.cards[0], cwd) },
  })
  return { ...team, configured }
}

/** Settings change the entry agent, its children too, so the team is gathered again with them. */
function resolveTeam(
  options: HostOptions,
  parts: {
    readonly pool: CardPool
    readonly config: LoadedConfig
    readonly changes: TeamChanges
    readonly cards: readonly TeamCard[]
    readonly configured: readonly TeamCard[]
    readonly first: { readonly cards: readonly TeamCard[]; readonly isFolder: boolean }
  },
): Omit<FoundTeam, 'configured'> {
  const { pool, config, changes, cards, configured, first } = parts
  const { defaults: missing = {}, permissions, models: words } = config.config
  const { model = options.model, prompts = {} } = changes
  const defaults = { defaults: missing, permissions, model, words }
  const places = { pool, near: createNearCards(pool, [...cards, ...configured]) }
  const plain = (definition: AgentDefinition): AgentDefinition =>
    effectiveDefinition(definition, { ...defaults, prompt: getOwn(prompts, definition.name) })
  const team = loadTeam(cards, { ...places, change: plain })
  const entry = findEntry(team, { named: options.entry, first: first.cards, isFolder: first.isFolder })
  const settings = options.set ?? {}
  const member = 'name' in entry ? team.members.get(entry.name) : undefined
  if (member === undefined || Object.keys(settings).length === 0) return { team, entry, settings: [] }
  const set = applySettings(member.definition, settings)
  const change = (definition: AgentDefinition): AgentDefinition =>
    definition.name === member.definition.name
      ? effectiveDefinition(set.definition, {
          defaults: {},
          model: changes.model,
          words,
          prompt: getOwn(prompts, definition.name),
        })
      : plain(definition)
  return { team: loadTeam(cards, { ...places, change }), entry, settings: set.problems }
}

async function checkTeam(
  { team, entry }: FoundTeam,
  parts: {
    readonly options: HostOptions
    readonly config: LoadedConfig
    readonly environments: Environments
    readonly runtime: Runtime
    readonly services: CodeServices
    readonly changes: TeamChanges
  },
): Promise<ReadonlyMap<string, CheckedAgent>> {
  const { options, config, environments, runtime, services, changes } = parts
  const { members } = team
  const codes = await loadCodes(team, { options, services })
  const checkModel = createModelChecks(config.config.providers)
  const { model } = changes
  const chosenFolder =
    model === undefined ? undefined : folderOfModel(model, { team, config, cwd: resolve(options.cwd) })
  return new Map(
    [...members].map(([name, member]) => [
      name,
      checkAgent(member, {
        config,
        environment: environments.of(member.card.folder),
        modelFolder: chosenFolder ?? modelFolder(member, { options, config, entry }),
        models: options.models ?? {},
        checkModel,
        runtime,
        code: codes.get(name) ?? NO_CODE,
        children: member.children.flatMap((child) => members.get(child)?.definition ?? []),
      }),
    ]),
  )
}

/** The code of the agents that bring some, by name. */
async function loadCodes(
  { members }: Team,
  { options, services }: { readonly options: HostOptions; readonly services: CodeServices },
): Promise<ReadonlyMap<string, LoadedCode>> {
  const bringing = [...members.values()].filter(({ definition }) => bringsCode(definition))
  if (bringing.length === 0) return new Map()
  options.beforeCode?.()
  const definitions = bringing.map((member) => member.definition)
  return new Map(
    await preloadAgents(definitions, async ({ name }) => {
      const member = members.get(name)
      return member === undefined ? [] : [[name, await loadCode(member, { services })] as const]
    }),
  )
}

/** Where the name of a model was written that a run asks in place of others: the configuration, a card, or nowhere. */
function folderOfModel(
  id: string,
  { team, config, cwd }: { readonly team: Team; readonly config: LoadedConfig; readonly cwd: string },
): string {
  const { models = {}, defaults } = config.config
  if (Object.hasOwn(models, id) || [defaults?.model].flat().includes(id)) return config.folder
  const cards = [...team.members.values()].map(({ card }) => card)
  return cards.find(({ definition }) => definition?.model.includes(id))?.folder ?? cwd
}

/** A script is looked for beside where its name was written: the command line, the card, or the configuration. */
function modelFolder(
  { card }: TeamMember,
  {
    options,
    config,
    entry,
  }: { readonly options: HostOptions; readonly config: LoadedConfig; readonly entry: Entry },
): string {
  const isEntry = 'name' in entry && entry.name === card.definition?.name
  if (options.model !== undefined || (isEntry && Object.hasOwn(options.set ?? {}, 'model')))
    return resolve(options.cwd)
  return (card.definition?.model.length ?? 0) > 0 ? card.folder : config.folder
}

function finish(
  { team, entry, settings }: FoundTeam,
  parts: {
    readonly agents: ReadonlyMap<string, CheckedAgent>
    readonly config: LoadedConfig
    readonly environments: Environments
    readonly environment: Environment
    readonly configured: readonly TeamCard[]
    readonly runtime: Runtime
  },
): LoadedHost {
  const { agents, config, environments, environment, configured, runtime } = parts
  const general = [...config.problems, ...environments.problems()]
  const unread = configured.filter((card) => card.definition === undefined && !team.broken.includes(card))
  const planParts: PlanParts = {
    team,
    agents,
    entry,
    general,
    settings: [...settings, ...unread.flatMap((card) => card.problems)],
    configFile: config.file,
  }
  const redactor = teamRedactor(agents.values(), { environments, config })
  const shown = (plan: HostPlan): HostPlan =>
    redactor === undefined ? plan : redactValues(plan, redactor.redact)
  const plan = shown(makePlan(planParts))
  return {
    plan,
    planWith: (inspected) => shown(makePlan({ ...planParts, inspected })),
    ...(redactor === undefined ? {} : { redactor }),
    config,
    environment,
    entry,
    agents,
    runtime,
    catalogue: createCatalogue([...team.members.values()].map((member) => member.definition)),
    broken: team.broken,
    blocker: once(createBlockers({ team, problems: plan.problems, general })),
    keeps: once((name) =>
      least(reachableFrom(team.members, name).map((reached) => team.members.get(reached)?.definition.store)),
    ),
  }
}

/** An agent that is not known keeps nothing. */
function least(stores: readonly (AgentDefinition['store'] | undefined)[]): AgentDefinition['store'] {
  if (stores.some((store) => store === undefined || store === 'none')) return 'none'
  return stores.includes('metadata') ? 'metadata' : 'full'
}

/** Asks once for each name. */
function once<T>(ask: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>()
  return (name) => {
    const answer = known.has(name) ? (known.get(name) as T) : ask(name)
    known.set(name, answer)
    return answer
  }
}
