import type { AgentDefinition } from '@troupe/schema'

/** An agent that a composition calls. */
export type Member = Pick<AgentDefinition, 'name' | 'digest' | 'description' | 'instruction'>

/** The agents that the keys of a composition name, in their order. */
export interface Members {
  readonly agents: readonly Member[]
  readonly sequence: readonly Member[]
  readonly fanOut: readonly Member[]
  readonly fanIn?: Member
  readonly generator?: Member
  readonly evaluator?: Member
}

/** The list of agents as a model that chooses among them reads it. */
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
