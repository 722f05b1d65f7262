import { getOwn, type TeamOverrides } from '@troupe/schema'
import { effectiveDefinition } from '../definition/effective-definition.ts'
import type { TeamMember } from './load-team.ts'
import type { UncheckedTeam } from './read-team.ts'

/**
 * Applies changes to a team. Children and the entry stay the same, and unchanged members keep their identity.
 */
export function changeTeam(found: UncheckedTeam, { model, prompts = {} }: TeamOverrides): UncheckedTeam {
  const change = (member: TeamMember): TeamMember => {
    const definition = effectiveDefinition(member.definition, {
      defaults: {},
      model,
      // The model ids of the definition are already resolved.
      aliases: model === undefined ? {} : found.settingsIn(member.card.folder).aliases,
      prompt: getOwn(prompts, member.definition.name),
    })
    return definition === member.definition ? member : { ...member, definition }
  }
  const members = new Map([...found.team.members].map(([name, member]) => [name, change(member)]))
  return { ...found, team: { ...found.team, members } }
}
