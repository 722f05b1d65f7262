import { relative } from 'node:path'
import { listNonCards, projectFoldersIn, type ReadOptions } from '@troupe/cards'
import { closest } from '@troupe/schema/text'
import type { TeamCard } from '../cards/card-pool.ts'
import { planError, type PlanProblem } from '../config/plan-problem.ts'
import type { Team, TeamMember } from './collect-team.ts'

/** The agent to run if none is named, or the reason why there is none. */
export type TeamEntry = { readonly name: string } | { readonly problem: PlanProblem }

/**
 * Finds the entry of a team: the named agent, else the only card given, else in the first folder the one with
 * `default: true`, else the one that no other agent calls. A broken card with `default: true` is still the
 * entry, so that no other agent runs in its place.
 */
export function findEntry(
  team: Team,
  options: {
    readonly named?: string | undefined
    readonly first: readonly TeamCard[]
    /** Folder of the first cards. `undefined` if a file was given. */
    readonly folder?: string | undefined
    readonly formats?: ReadOptions['formats']
  },
): TeamEntry {
  const { named, first, folder, formats } = options
  if (named !== undefined) return team.members.has(named) ? { name: named } : unknownEntry(team, named)
  const members = first.flatMap((card) => {
    const member = card.definition === undefined ? undefined : team.members.get(card.definition.name)
    return member?.card === card ? [member] : []
  })
  const [only] = members
  if (folder === undefined && only !== undefined) return { name: only.definition.name }
  const brokenDefault = findBrokenDefault(team, first)
  if (brokenDefault !== undefined) return { problem: brokenDefault }
  const defaults = members.filter((member) => member.definition.default)
  if (defaults.length > 1) return ambiguous(defaults.map(nameOf), 'Several cards have `default: true`')
  const called = new Set([...team.members.values()].flatMap((member) => member.children))
  const uncalled = members.filter((member) => !called.has(nameOf(member)) && !member.definition.hidden)
  const candidates = defaults.length === 1 ? defaults : uncalled
  const [entry, ...others] = candidates
  if (entry === undefined) return noEntry(team, first, { folder, formats })
  return others.length === 0 ? { name: nameOf(entry) } : noDefault(candidates)
}

function nameOf(member: { readonly definition: { readonly name: string } }): string {
  return member.definition.name
}

function unknownEntry(team: Team, name: string): TeamEntry {
  const suggestion = closest(name, team.members.keys())
  const known = [...team.members.keys()].join(', ')
  const hint = suggestion === undefined ? '.' : `; did you mean "${suggestion}"?`
  return {
    problem: planError('agent_unknown', `There is no agent "${name}"${hint} Known: ${known || 'none'}.`),
  }
}

/** Only a warning if the agents belong to a product in which a folder has no entry. */
function noDefault(candidates: readonly TeamMember[]): TeamEntry {
  const names = candidates.map(nameOf)
  const { problem } = ambiguous(names, 'The team has no default agent, and several agents could be the entry')
  if (candidates.some(({ card }) => card.needsNoEntry !== true)) return { problem }
  return { problem: { ...problem, severity: 'warning', fix: 'Name the agent to run with `--agent`.' } }
}

function ambiguous(names: readonly string[], why: string): { readonly problem: PlanProblem } {
  return { problem: planError('agent_ambiguous', `${why}: ${names.join(', ')}.`) }
}

/** Returns the error of a card with `default: true` that is not a member of the team. */
function findBrokenDefault(team: Team, first: readonly TeamCard[]): PlanProblem | undefined {
  const missing = first.filter(
    (card) => card.isDefault && team.members.get(card.definition?.name ?? '')?.card !== card,
  )
  return errorOf(team, missing)
}

function errorOf({ problems }: Team, cards: readonly TeamCard[]): PlanProblem | undefined {
  // The error of a card may be in another file, such as the configuration of its project.
  const files = new Set(cards.flatMap(({ path, problems: own }) => [path, ...own.flatMap(fileOfError)]))
  return problems.find(({ severity, file }) => severity === 'error' && file !== undefined && files.has(file))
}

function fileOfError({ severity, file }: PlanProblem): readonly string[] {
  return severity === 'error' && file !== undefined ? [file] : []
}

/** Prefers an error of the cards as the message if there is one. */
function noEntry(team: Team, first: readonly TeamCard[], searched: SearchedFolder): TeamEntry {
  const broken = first.find((card) => card.definition === undefined)
  const problem = broken === undefined ? undefined : errorOf(team, [broken])
  if (problem !== undefined) return { problem }
  const names = first.flatMap((card) => (card.definition === undefined ? [] : [card.definition.name]))
  if (names.length > 0)
    return ambiguous(names, 'The team has no entry: every agent is hidden or called by another one')
  return { problem: noCards(searched) }
}

/** Maximum number of files listed in the message. */
const MAX_NAMES = 5
const NEW_CARD = '`troupe new NAME` creates a card, `troupe init FOLDER` a team.'

interface SearchedFolder {
  readonly folder: string | undefined
  readonly formats: ReadOptions['formats']
}

function noCards({ folder, formats }: SearchedFolder): PlanProblem {
  const message = 'No agent cards were found'
  if (folder === undefined) return planError('agent_unknown', `${message}.`)
  const products = projectFoldersIn(folder, { formats })
  if (products.length > 1)
    return planError(
      'agent_unknown',
      `${message} in ${folder} itself, but several products have folders of agents there.`,
      {
        fix: `Name one of them: ${products
          .flat()
          .map((path) => relative(folder, path))
          .join(', ')}.`,
      },
    )
  const files = listNonCards(folder)
  const listed = files.slice(0, MAX_NAMES).map(({ name, why }) => `${name} ${why}`)
  const further = files.length > MAX_NAMES ? [`${files.length - MAX_NAMES} more files`] : []
  const seen = files.length === 0 ? '' : `: ${[...listed, ...further].join('; ')}`
  const toCard = files.some(({ why }) => why.includes('front matter'))
    ? 'To turn a Markdown file into a card, start it with a line `---`, a line `description: …` and another line `---`. '
    : ''
  return planError('agent_unknown', `${message} in ${folder}${seen}.`, { fix: `${toCard}${NEW_CARD}` })
}
