import { getOwn, type AgentDefinition } from '@troupe/schema'
import type { TeamOverrides } from '@troupe/schema/ports'
import type { CardPool, TeamCard } from '../cards/card-pool.ts'
import { resolveConfiguredCards, resolveCards, cardFolder } from '../cards/card-reference.ts'
import type { ConfiguredModels } from '../config/configured-models.ts'
import type { HostOptions } from '../config/host-options.ts'
import type { PlanProblem } from '../config/plan-problem.ts'
import type { LoadedConfig } from '../config/read-config.ts'
import { applySettings } from './apply-settings.ts'
import { collectTeam, type Team, type TeamMember } from './collect-team.ts'
import { effectiveDefinition } from './effective-definition.ts'
import { createChildCandidates } from './find-children.ts'
import { findEntry, type TeamEntry } from './find-entry.ts'

/** A team and its entry, before checking. */
export interface UncheckedTeam {
  /** Cards from `agents` of the configuration. */
  readonly configured: readonly TeamCard[]
  readonly team: Team
  readonly entry: TeamEntry
  /** Problems of the settings for the entry agent. */
  readonly settings: readonly PlanProblem[]
  /** Returns the model settings of the configuration for cards in a folder. */
  settingsIn(folder: string): ConfiguredModels
}

/** Reads the team from the cards that are available so far. */
export function readTeam(
  options: HostOptions,
  {
    pool,
    cwd,
    config,
    settingsIn,
  }: {
    readonly pool: CardPool
    readonly cwd: string
    readonly config: LoadedConfig
    /** Returns the model settings of the configuration for cards in a folder. */
    settingsIn(folder: string): ConfiguredModels
  },
): UncheckedTeam {
  const inputCards = options.cards.map((card) => resolveCards(card, { pool, cwd }))
  const extra = (options.extraCards ?? []).flatMap((path) => resolveCards(path, { pool, cwd }))
  const configured = (config.config.agents ?? []).flatMap((path) =>
    resolveConfiguredCards(path, pool, config),
  )
  const team = resolveTeam(options, {
    pool,
    config,
    settingsIn,
    cards: [...inputCards.flat(), ...extra],
    configured,
    first: { cards: inputCards[0] ?? [], folder: cardFolder(options.cards[0], cwd) },
  })
  return { ...team, configured, settingsIn }
}

/** Loads the team again if settings apply to the entry agent, since they may change its children. */
function resolveTeam(
  options: HostOptions,
  parts: {
    readonly pool: CardPool
    readonly config: LoadedConfig
    settingsIn(folder: string): ConfiguredModels
    readonly cards: readonly TeamCard[]
    readonly configured: readonly TeamCard[]
    readonly first: { readonly cards: readonly TeamCard[]; readonly folder: string | undefined }
  },
): Omit<UncheckedTeam, 'configured' | 'settingsIn'> {
  const { pool, config, settingsIn, cards, configured, first } = parts
  const { defaults: { limits } = {}, permissions } = config.config
  const sources = { pool, near: createChildCandidates(pool, [...cards, ...configured]) }
  const applyConfiguration = (definition: AgentDefinition, { folder }: TeamCard): AgentDefinition => {
    const { model: defaultModels, aliases } = settingsIn(folder)
    return effectiveDefinition(definition, {
      defaults: { limits, model: defaultModels },
      permissions,
      model: options.model,
      aliases,
    })
  }
  const team = collectTeam(cards, { ...sources, change: applyConfiguration })
  const entry = findEntry(team, {
    named: options.entry,
    first: first.cards,
    folder: first.folder,
    formats: options.formats,
  })
  const settings = options.set ?? {}
  const member = 'name' in entry ? team.members.get(entry.name) : undefined
  if (member === undefined || Object.keys(settings).length === 0) return { team, entry, settings: [] }
  const set = applySettings(member.card.definition ?? member.definition, settings)
  const change = (definition: AgentDefinition, card: TeamCard): AgentDefinition =>
    applyConfiguration(card === member.card ? set.definition : definition, card)
  return { team: collectTeam(cards, { ...sources, change }), entry, settings: set.problems }
}

/**
 * Applies changes to a team. Children and the entry stay the same, and unchanged members keep their identity.
 */
export function changeTeam(
  found: UncheckedTeam,
  { model, prompts = {}, agents = {} }: TeamOverrides,
): UncheckedTeam {
  const change = (member: TeamMember): TeamMember => {
    const definition = effectiveDefinition(member.definition, {
      defaults: {},
      model,
      // The model ids of the definition are already resolved.
      aliases: model === undefined ? {} : found.settingsIn(member.card.folder).aliases,
      prompt: getOwn(prompts, member.definition.name),
      overrides: getOwn(agents, member.definition.name),
    })
    return definition === member.definition ? member : { ...member, definition }
  }
  const members = new Map([...found.team.members].map(([name, member]) => [name, change(member)]))
  return { ...found, team: { ...found.team, members } }
}
