import type { Team } from '../team/load-team.ts'
import type { PlannedCard } from './plan-types.ts'

/** How the cards of a team were read, those that hold no agent because of their errors included. Agents from code are not read. */
export function planCards({ members, broken }: Team): readonly PlannedCard[] {
  const cards = [...[...members.values()].map(({ card }) => card), ...broken]
  return cards.flatMap(({ path, definition, dialect, report }) => {
    if (dialect === undefined || report === undefined) return []
    const agent = definition === undefined ? {} : { agent: definition.name }
    return [{ file: path, ...agent, dialect, fields: report }]
  })
}
