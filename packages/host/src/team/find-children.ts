import { resolve } from 'node:path'
import type { AgentDefinition } from '@troupe/schema'
import { closest, listFirst } from '@troupe/schema/text'
import picomatch from 'picomatch/posix.js'
import type { CardPool, TeamCard } from '../cards/card-pool.ts'
import { isAddress, isGlob } from '../cards/card-reference.ts'
import { planError, planWarning, type PlanProblem } from '../config/plan-problem.ts'

/** Cards that a reference in `agents` resolved to. */
interface ChildResolution {
  readonly cards: readonly TeamCard[]
  readonly problem?: PlanProblem
}

/** Sources of child cards. */
export interface ChildSources {
  readonly pool: CardPool
  /** Returns the cards available to the cards of a folder. */
  near(folder: string): ChildCandidates
}

const CARD_PATH = /[\\/]|\.(?:md|markdown|ai|ya?ml|jsonc?)$/iu

/**
 * Resolves one entry of `agents`: a definition, a name, a path relative to the card, or a glob of names or
 * paths.
 */
export function findChildren(
  parent: TeamCard,
  reference: string | AgentDefinition,
  sources: ChildSources,
): ChildResolution {
  const { pool } = sources
  if (typeof reference !== 'string') return { cards: [pool.code(reference)] }
  if (parent.address !== undefined) return findRemoteChildren(parent.address, reference, pool)
  if (isAddress(reference)) return { cards: pool.remote(reference) }
  const near = sources.near(parent.folder)
  const matches = preferSameFile(near.named(reference), parent)
  if (matches.length > 1) return { cards: [], problem: duplicate(reference, matches) }
  if (matches.length === 1) return { cards: matches }
  if (isGlob(reference)) return findByGlob(parent, reference, { pool, near: near.cards })
  if (CARD_PATH.test(reference)) return findByPath(parent, reference, pool)
  const broken = near.cards.find((card) => card.definition === undefined && card.stem === reference)
  return broken === undefined
    ? { cards: [], problem: unknownAgentProblem(reference, near.cards) }
    : { cards: [broken] }
}

/** Prefers agents from the same file, in case another file has one with the same name. */
function preferSameFile(cards: readonly TeamCard[], parent: TeamCard): readonly TeamCard[] {
  const own = cards.filter(({ path }) => path === parent.path)
  return own.length === 0 ? cards : own
}

/**
 * Resolves children of a remote card by URL only. It must not call local agents, which have tools and
 * variables that it does not have.
 */
function findRemoteChildren(address: string, reference: string, pool: CardPool): ChildResolution {
  const isPath = CARD_PATH.test(reference) && !isGlob(reference)
  const url = isAddress(reference) || isPath ? URL.parse(reference, address) : null
  if (url !== null) return { cards: pool.remote(url.href) }
  const message = `"${reference}" in agents: a remote card refers to its children by URL, or relative to its own URL.`
  return { cards: [], problem: planError('remote_card_forbidden', message) }
}

function findByGlob(
  parent: TeamCard,
  glob: string,
  sources: { readonly pool: CardPool; readonly near: readonly TeamCard[] },
): ChildResolution {
  const isMatch = picomatch(glob, { nonegate: true, dot: true })
  const found = CARD_PATH.test(glob)
    ? sources.pool.glob(glob, parent.folder)
    : sources.near.filter((card) => isMatch(card.definition?.name ?? card.stem))
  const cards = found.filter((card) => card !== parent)
  if (cards.length > 0) return { cards }
  return { cards: [], problem: planWarning('agent_unknown', `"${glob}" in agents matches no card.`) }
}

function findByPath(parent: TeamCard, path: string, pool: CardPool): ChildResolution {
  const cards = pool.path(resolve(parent.folder, path))
  if (cards.length > 0) return { cards }
  return {
    cards: [],
    problem: planError('agent_unknown', `The folder "${path}" in agents contains no cards.`),
  }
}

function duplicate(name: string, cards: readonly TeamCard[]): PlanProblem {
  const paths = listFirst(
    cards.map((card) => card.path),
    { separator: ' and ' },
  )
  return planError('card_duplicate_name', `Several agents are named "${name}": ${paths}.`)
}

function unknownAgentProblem(name: string, near: readonly TeamCard[]): PlanProblem {
  const names = near.flatMap((card) => (card.definition === undefined ? [] : [card.definition.name]))
  const suggestion = closest(name, names)
  const broken = near.filter((card) => card.definition === undefined).map((card) => card.path)
  const hint = suggestion === undefined ? '' : `; did you mean "${suggestion}"?`
  const unread = broken.length === 0 ? '' : ` Unreadable cards: ${listFirst(broken)}.`
  return planError('agent_unknown', `There is no agent "${name}"${hint || '.'}${unread}`)
}

/** The cards that a child reference is resolved among. */
interface ChildCandidates {
  /**
   * Without duplicates: first the cards in the folder of the parent, then those of the team and the
   * configuration.
   */
  readonly cards: readonly TeamCard[]
  /** Returns the cards whose agent has the name. */
  named(name: string): readonly TeamCard[]
}

/** Returns a function that collects the cards for a folder, cached per folder. */
export function createChildCandidates(
  pool: CardPool,
  shared: readonly TeamCard[],
): (folder: string) => ChildCandidates {
  const known = new Map<string, ChildCandidates>()
  return (folder) => {
    const near = known.get(folder) ?? gather([...pool.near(folder), ...shared])
    known.set(folder, near)
    return near
  }
}

function gather(cards: readonly TeamCard[]): ChildCandidates {
  const unique = [...new Set(cards)]
  const byName = Map.groupBy(unique, (card) => card.definition?.name)
  return { cards: unique, named: (name) => byName.get(name) ?? [] }
}
