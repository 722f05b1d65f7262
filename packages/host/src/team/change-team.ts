import { getOwn, type TeamChanges } from '@troupe/schema'
import { effectiveDefinition } from '../definition/effective-definition.ts'
import type { TeamMember } from './load-team.ts'
import type { FoundTeam } from './read-team.ts'

/** The team with changes in place of what its cards say. Whom an agent calls and which one is the entry are as before; a member that stays what it is stays itself. */
export function changeTeam(found: FoundTeam, { model, prompts = {} }: TeamChanges): FoundTeam {
  const change = (member: TeamMember): TeamMember => {
    const definition = effectiveDefinition(member.definition, {
      defaults: {},
      model,
      // those of the definition are spelt out
      words: model === undefined ? {} : found.settingsIn(member.card.folder).words,
      prompt: getOwn(prompts, member.definition.name),
    })
    return definition === member.definition ? member : { ...member, definition }
  }
  const members = new Map([...found.team.members].map(([name, member]) => [name, change(member)]))
  return { ...found, team: { ...found.team, members } }
}
