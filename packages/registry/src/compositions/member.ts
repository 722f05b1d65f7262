import type { AgentDefinition } from '@troupe/schema'

/** An agent that a composition calls. */
export type Member = Pick<AgentDefinition, 'name' | 'digest' | 'description' | 'instruction'>

/** Agents named by the keys of a composition, in the order of the card. */
export interface Members {
  readonly agents: readonly Member[]
  readonly sequence: readonly Member[]
  readonly fanOut: readonly Member[]
  readonly fanIn?: Member
  readonly generator?: Member
  readonly evaluator?: Member
}

/** Lists agents for the prompt of a model that chooses among them. */
export function describeMembers(members: readonly Member[]): string {
  return members
    .map(({ name, description, instruction }) => `- ${name}: ${oneLine(description ?? instruction)}`)
    .join('\n')
}

const SHOWN = 300

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim()
  return line.length <= SHOWN ? line : `${line.slice(0, SHOWN).toWellFormed()}…`
}
