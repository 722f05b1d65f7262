import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { createCatalogue, preloadAgents, type Catalogue } from '@troupe/registry'
import type { AgentDefinition } from '@troupe/schema'
import { applySettings } from './apply-settings.ts'
import { createCardPool, type CardPool, type TeamCard } from './card-pool.ts'
import { checkAgent, type CheckedAgent } from './check-agent.ts'
import { isGlob } from './child-reference.ts'
import { effectiveDefinition } from './effective-definition.ts'
import { createEnvironments, type Environments } from './environments.ts'
import { findEntry, type Entry } from './find-entry.ts'
import type { HostOptions } from './host-types.ts'
import { loadTeam, type Team } from './load-team.ts'
import { blockerOf, makePlan } from './make-plan.ts'
import type { HostPlan, PlanProblem } from './plan-types.ts'
import { readConfig, type LoadedConfig } from './read-config.ts'

/** A team that is read, resolved and checked; nothing of it runs. */
export interface LoadedHost {
  readonly plan: HostPlan
  readonly config: LoadedConfig
  readonly entry: Entry
  /** By name. */
  readonly agents: ReadonlyMap<string, CheckedAgent>
  readonly catalogue: Catalogue
  /** Cards that hold no agent because of their errors. */
  readonly broken: readonly TeamCard[]
  /** The first error that keeps an agent from running. */
  blocker(name: string): PlanProblem | undefined
}

/** Reads cards and configuration, finds the children, checks every agent, and makes the plan. Never rejects for bad cards. */
export async function loadHost(options: HostOptions): Promise<LoadedHost> {
  const cwd = resolve(options.cwd)
  const pool = createCardPool(cwd)
  const named = options.cards.map((card) => cardsOf(card, { pool, cwd }))
  const first = options.cards[0]
  const config = readConfig({
    config: options.config,
    from: folderOf(first, cwd),
    cwd,
    home: options.home,
  })
  const environments = createEnvironments({
    ...options,
    cwd,
    configFolder: config.file === undefined ? undefined : config.folder,
  })
  const extra = (options.extraCards ?? []).flatMap((path) => cardsOf(path, { pool, cwd }))
  const configured = (config.config.agents ?? []).flatMap((path) => configuredCards(path, pool, config))
  const found = resolveTeam(options, {
    pool,
    config,
    cards: [...named.flat(), ...extra],
    configured,
    first: { cards: named[0] ?? [], isFolder: typeof first === 'string' && isFolder(resolve(cwd, first)) },
  })
  const agents = await checkTeam(found, { options, config, environments, cwd })
  return finish(found, { agents, config, environments, configured })
}

interface FoundTeam {
  readonly team: Team
  readonly entry: Entry
  /** What is wrong with the settings of the entry agent. */
  readonly settings: readonly PlanProblem[]
}

/** Settings change the entry agent, its children too, so the team is gathered again with them. */
function resolveTeam(
  options: HostOptions,
  parts: {
    readonly pool: CardPool
    readonly config: LoadedConfig
    readonly cards: readonly TeamCard[]
    readonly configured: readonly TeamCard[]
    readonly first: { readonly cards: readonly TeamCard[]; readonly isFolder: boolean }
  },
): FoundTeam {
  const { pool, config, cards, configured, first } = parts
  const defaults = { defaults: config.config.defaults ?? {}, model: options.model }
  const places = { pool, shared: [...cards, ...configured] }
  const plain = (definition: AgentDefinition): AgentDefinition => effectiveDefinition(definition, defaults)
  const team = loadTeam(cards, { ...places, change: plain })
  const entry = findEntry(team, { named: options.entry, first: first.cards, isFolder: first.isFolder })
  const settings = options.set ?? {}
  const member = 'name' in entry ? team.members.get(entry.name) : undefined
  if (member === undefined || Object.keys(settings).length === 0) return { team, entry, settings: [] }
  const set = applySettings(member.definition, settings)
  const change = (definition: AgentDefinition): AgentDefinition =>
    definition.name === member.definition.name ? set.definition : plain(definition)
  return { team: loadTeam(cards, { ...places, change }), entry, settings: set.problems }
}

async function checkTeam(
  { team, entry }: FoundTeam,
  parts: {
    readonly options: HostOptions
    readonly config: LoadedConfig
    readonly environments: Environments
    readonly cwd: string
  },
): Promise<ReadonlyMap<string, CheckedAgent>> {
  const { options, config, environments, cwd } = parts
  const { members } = team
  const definitions = [...members.values()].map((member) => member.definition)
  const checked = await preloadAgents(definitions, async ({ name }) => {
    const member = members.get(name)
    if (member === undefined) return []
    const isSet = 'name' in entry && entry.name === name && Object.hasOwn(options.set ?? {}, 'model')
    const modelFolder =
      options.model !== undefined || isSet
        ? cwd
        : (member.card.definition?.model.length ?? 0) > 0
          ? member.card.folder
          : config.folder
    const agent = await checkAgent(member, {
      config,
      environment: environments.of(member.card.folder),
      modelFolder,
      models: options.models ?? {},
      children: member.children.flatMap((child) => members.get(child)?.definition ?? []),
    })
    return [agent]
  })
  return new Map(checked.map((agent) => [agent.member.definition.name, agent]))
}

function finish(
  { team, entry, settings }: FoundTeam,
  parts: {
    readonly agents: ReadonlyMap<string, CheckedAgent>
    readonly config: LoadedConfig
    readonly environments: Environments
    readonly configured: readonly TeamCard[]
  },
): LoadedHost {
  const { agents, config, environments, configured } = parts
  const general = [...config.problems, ...environments.problems()]
  const unread = configured.filter((card) => card.definition === undefined && !team.broken.includes(card))
  const plan = makePlan({
    team,
    agents,
    entry,
    general,
    settings: [...settings, ...unread.flatMap((card) => card.problems)],
    configFile: config.file,
  })
  return {
    plan,
    config,
    entry,
    agents,
    catalogue: createCatalogue([...team.members.values()].map((member) => member.definition)),
    broken: team.broken,
    blocker: (name) => blockerOf(name, { team, problems: plan.problems, general }),
  }
}

function cardsOf(
  card: string | AgentDefinition,
  { pool, cwd }: { readonly pool: CardPool; readonly cwd: string },
): readonly TeamCard[] {
  if (typeof card !== 'string') return [pool.code(card)]
  return ADDRESS.test(card) ? [remoteCard(card, cwd)] : pool.path(resolve(cwd, card))
}

const ADDRESS = /^https?:\/\//iu

function remoteCard(path: string, cwd: string): TeamCard {
  return {
    path,
    folder: cwd,
    stem: path,
    problems: [
      {
        severity: 'error',
        code: 'card_unreadable',
        message: `${path}: cards are not read from addresses in this version.`,
        file: path,
        fix: 'Save the card, read it, and name the file.',
      },
    ],
  }
}

function configuredCards(path: string, pool: CardPool, config: LoadedConfig): readonly TeamCard[] {
  return isGlob(path) ? pool.glob(path, config.folder) : pool.path(resolve(config.folder, path))
}

/** Where the search for a configuration starts. */
function folderOf(card: string | AgentDefinition | undefined, cwd: string): string {
  if (card === undefined) return cwd
  if (typeof card !== 'string') return resolve(cwd, card.source.folder ?? '.')
  if (ADDRESS.test(card)) return cwd
  const path = resolve(cwd, card)
  return isFolder(path) ? path : resolve(path, '..')
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
