import type { Team } from '../team/load-team.ts'
import type { PlannedCard } from './plan-types.ts'

/** Reports how each card was read, including cards with errors. Agents from code have no card to report. */
export function planCards({ members, broken }: Team): readonly PlannedCard[] {
  const cards = [...[...members.values()].map(({ card }) => card), ...broken]
  return cards.flatMap(({ path, definition, dialect, report }) => {
    if (dialect === undefined || report === undefined) return []
    const agent = definition === undefined ? {} : { agent: definition.name }
    return [{ file: path, ...agent, dialect, fields: report }]
  })
}
