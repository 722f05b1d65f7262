import { loadSkills, type Skill, type SkillProblem } from '@troupe/runtime'
import type { Team, TeamMember } from '../team/load-team.ts'
import { planError, planWarning } from '../plan/plan-problem.ts'
import type { PlanProblem } from '../plan/plan-types.ts'
import { toleratesMissingParts } from './tolerates-missing-parts.ts'

/** The skills of an agent and their problems, located in the card or in the skill. */
export interface AgentSkills {
  readonly skills: readonly Skill[]
  readonly problems: readonly PlanProblem[]
}

/** Result for an agent that names no skills. */
export const NO_SKILLS: AgentSkills = { skills: [], problems: [] }

/** Loads the skills of all agents that name some, by agent name. */
export function loadSkillsOf({ members }: Team): ReadonlyMap<string, AgentSkills> {
  const naming = [...members].filter(([, { definition }]) => definition.skills.length > 0)
  return new Map(naming.map(([name, member]) => [name, agentSkills(member)]))
}

function agentSkills(member: TeamMember): AgentSkills {
  const { definition, card } = member
  const { skills, problems } = loadSkills(definition.skills, card.folder)
  return { skills, problems: problems.map((problem) => toPlanProblem(problem, member)) }
}

function toPlanProblem(problem: SkillProblem, { definition, card }: TeamMember): PlanProblem {
  const { severity, message, file, line, column, entry } = problem
  const inSkill = { file: file ?? card.path, ...(line && column ? { line, column } : {}) }
  const location = file === undefined ? { file: card.path, ...card.positionOf?.(['skills', entry]) } : inSkill
  const make = severity === 'error' && !toleratesMissingParts(card.dialect) ? planError : planWarning
  return make('skill_invalid', message, { ...location, agent: definition.name })
}
