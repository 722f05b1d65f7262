import type { CardPosition } from '@troupe/cards'
import { compositionReferences, type Members } from '@troupe/registry'
import type { AgentDefinition } from '@troupe/schema'
import { guardAgents, isAgentUse } from '@troupe/schema/agent-keys'
import type { TeamCard } from '../cards/card-pool.ts'
import { planError, type PlanProblem } from '../config/plan-problem.ts'
import { findChildren, type ChildSources } from './find-children.ts'

/** An agent of a team and the agents it calls. */
export interface TeamMember {
  readonly card: TeamCard
  readonly definition: AgentDefinition
  /** Names of its children without duplicates, in the order of the card. */
  readonly children: readonly string[]
  /** Agent names that each reference of the card resolved to. */
  readonly namesByReference: ReadonlyMap<string | AgentDefinition, readonly string[]>
}

/** The agents reachable from the given cards, and the problems found. */
export interface Team {
  /** By agent name. */
  readonly members: ReadonlyMap<string, TeamMember>
  readonly problems: readonly PlanProblem[]
  /** Cards without an agent because of their errors. */
  readonly broken: readonly TeamCard[]
}

/**
 * Collects the agents reachable from `cards`. One broken card does not stop others from loading: errors,
 * unknown children and duplicate names are problems of the cards concerned. `change` is applied to each
 * definition before its children are resolved.
 */
export function collectTeam(
  cards: readonly TeamCard[],
  sources: ChildSources & { change(definition: AgentDefinition, card: TeamCard): AgentDefinition },
): Team {
  const members = new Map<string, TeamMember>()
  const problems: PlanProblem[] = []
  const broken: TeamCard[] = []
  const seen = new Set<TeamCard>()
  const waiting = [...cards]
  for (let card = waiting.shift(); card !== undefined; card = waiting.shift()) {
    if (seen.has(card)) continue
    seen.add(card)
    problems.push(...cardProblems(card))
    if (card.definition === undefined) {
      broken.push(card)
      continue
    }
    const other = members.get(card.definition.name)
    if (other !== undefined) {
      if (isSameCode(other.card, card)) continue
      problems.push(duplicateName(other.card, card))
      continue
    }
    const definition = sources.change(card.definition, card)
    const found = childrenOf({ card, definition }, sources)
    members.set(definition.name, {
      card,
      definition,
      children: found.names,
      namesByReference: found.namesByReference,
    })
    problems.push(...found.problems)
    waiting.push(...found.cards)
  }
  return { members, problems, broken }
}

/**
 * Returns true for equal definitions from code in the same folder, which count as one agent. In different
 * folders their relative paths differ in meaning. Two files with the same name are always a mistake.
 */
function isSameCode(first: TeamCard, second: TeamCard): boolean {
  const [a, b] = [first.definition, second.definition]
  if (a?.source.kind !== 'code' || b?.source.kind !== 'code') return false
  return first.folder === second.folder && a.digest === b.digest
}

function cardProblems(card: TeamCard): readonly PlanProblem[] {
  const agent = card.definition === undefined ? {} : { agent: card.definition.name }
  return card.problems.map((problem) => ({ ...problem, ...agent }))
}

/** Reports a duplicate name once; the message names both files. */
function duplicateName(first: TeamCard, second: TeamCard): PlanProblem {
  const name = second.definition?.name ?? second.stem
  const message = `Two agents are named "${name}": ${first.path} and ${second.path}.`
  return planError('card_duplicate_name', message, { file: second.path, agent: name })
}

interface ResolvedChildren {
  readonly cards: readonly TeamCard[]
  readonly names: readonly string[]
  readonly namesByReference: TeamMember['namesByReference']
  readonly problems: readonly PlanProblem[]
}

const NO_CHILDREN: ResolvedChildren = { cards: [], names: [], namesByReference: new Map(), problems: [] }

function childrenOf(
  parent: { readonly card: TeamCard; readonly definition: AgentDefinition },
  sources: ChildSources,
): ResolvedChildren {
  const { card, definition } = parent
  const references = [
    ...definition.agents,
    ...compositionReferences(definition),
    ...guardAgents(definition.guard),
  ]
  if (references.length === 0) return NO_CHILDREN
  const cards: TeamCard[] = []
  const problems: PlanProblem[] = []
  const namesByReference = new Map<string | AgentDefinition, readonly string[]>()
  for (const reference of new Set(references)) {
    const found = findChildren(card, reference, sources)
    cards.push(...found.cards)
    namesByReference.set(reference, found.cards.flatMap(nameOf))
    const own = [
      ...(found.problem === undefined ? [] : [found.problem]),
      ...found.cards.flatMap((child) => brokenChildProblems(child)),
    ]
    const location = { file: card.path, ...positionOfReference(parent, reference), agent: definition.name }
    problems.push(...own.map((problem) => ({ ...problem, ...location })))
  }
  return { cards, names: [...new Set(cards.flatMap(nameOf))], namesByReference, problems }
}

/** Returns the position of the reference in the card. */
function positionOfReference(
  { card, definition }: { readonly card: TeamCard; readonly definition: AgentDefinition },
  reference: string | AgentDefinition,
): Partial<CardPosition> {
  for (const [key, value] of Object.entries({ agents: definition.agents, ...definition.composition })) {
    const entries: readonly unknown[] = Array.isArray(value) ? value : [value]
    const index = entries.indexOf(reference)
    if (index >= 0) return card.positionOf?.(Array.isArray(value) ? [key, index] : [key]) ?? {}
  }
  for (const [place, guards] of Object.entries(definition.guard ?? {})) {
    const index = guards.findIndex((guard) => isAgentUse(guard) && guard.agent === reference)
    if (index >= 0) return card.positionOf?.(['guard', place, index, 'agent']) ?? {}
  }
  return {}
}

function nameOf({ definition }: TeamCard): readonly string[] {
  return definition === undefined ? [] : [definition.name]
}

/** Returns an error if the child has errors, since its parent cannot run without it. */
function brokenChildProblems(child: TeamCard): readonly PlanProblem[] {
  if (child.definition !== undefined) return []
  const first = child.problems.find((problem) => problem.severity === 'error')
  const why = first?.message ?? 'it has errors'
  return [
    planError('agent_unknown', `The child "${child.stem}" cannot be loaded: ${child.path}: ${why}`, {
      fix: 'Correct the card of the child.',
    }),
  ]
}

/** Resolves the references of a composition to agents. */
export function membersOf(
  { definition, namesByReference }: TeamMember,
  children: readonly AgentDefinition[],
): Members {
  const byName = new Map(children.map((child) => [child.name, child]))
  const all = (references: readonly (string | AgentDefinition)[] = []): readonly AgentDefinition[] =>
    references
      .flatMap((reference) => namesByReference.get(reference) ?? [])
      .flatMap((name) => byName.get(name) ?? [])
  const resolveOne = <K extends string>(
    key: K,
    reference: string | undefined,
  ): { [P in K]?: AgentDefinition } => {
    const [found] = reference === undefined ? [] : all([reference])
    return (found === undefined ? {} : { [key]: found }) as { [P in K]?: AgentDefinition }
  }
  const { sequence, fanOut, fanIn, generator, evaluator, worker } = definition.composition
  return {
    agents: all(definition.agents),
    sequence: all(sequence),
    fanOut: all(fanOut),
    ...resolveOne('fanIn', fanIn),
    ...resolveOne('generator', generator),
    ...resolveOne('evaluator', evaluator),
    ...resolveOne('worker', worker),
  }
}
