import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseCard } from '@troupe/cards'
import { AGENT_TYPES, troupeError, type AgentType } from '@troupe/schema'
import { dump } from 'js-yaml'
import { CARD_SCHEMA } from './editor-schemas.ts'

export interface NewCard {
  readonly name: string
  readonly type: AgentType
  readonly description?: string | undefined
  readonly model?: string | undefined
  /** Children of the agent, or the agents that a composition runs. */
  readonly agents: readonly string[]
}

const PLACEHOLDERS: Readonly<Record<AgentType, readonly string[]>> = {
  agent: [],
  chain: ['first', 'second'],
  parallel: ['one', 'two'],
  router: ['one', 'two'],
  orchestrator: ['one', 'two'],
  evaluator_optimizer: ['writer', 'critic'],
}

/**
 * Returns the text of a new card in a folder. Throws `usage_invalid` for an unknown type or an invalid name.
 */
export function newCard(card: NewCard, folder: string): string {
  if (!AGENT_TYPES.includes(card.type)) {
    throw troupeError('usage_invalid', `There is no type "${card.type}"; known: ${AGENT_TYPES.join(', ')}.`)
  }
  const text = cardText(card, folder)
  const problem = parseCard(text, { path: `${card.name}.md` }).problems.find(
    ({ severity }) => severity === 'error',
  )
  if (problem === undefined) return text
  throw troupeError('usage_invalid', problem.message, {
    fix: problem.fix ?? 'Choose another name.',
  })
}

function cardText(card: NewCard, folder: string): string {
  const schema = existsSync(join(folder, CARD_SCHEMA))
    ? [`# yaml-language-server: $schema=${CARD_SCHEMA}`]
    : []
  const fields = {
    name: card.name,
    description: card.description ?? 'What this agent does, as its callers should know it.',
    usage: 'an example of what to ask',
    ...(card.type === 'agent' ? {} : { type: card.type }),
    ...(card.model === undefined ? {} : { model: card.model }),
    ...membersOf(card),
  }
  return [
    '---',
    ...schema,
    dump(fields, { lineWidth: -1 }).trimEnd(),
    '---',
    ...(card.type === 'agent'
      ? ['Say what the agent is to do, step by step, and what its answer looks like.']
      : []),
    '',
  ].join('\n')
}

/** Returns the keys that name the agents of a composition. */
function membersOf({ type, agents }: NewCard): Readonly<Record<string, unknown>> {
  const names = agents.length > 0 ? agents : PLACEHOLDERS[type]
  const [generator = 'writer', evaluator = 'critic'] = names
  if (type === 'chain') return { sequence: names }
  if (type === 'parallel') return { fanOut: names }
  if (type === 'evaluator_optimizer') return { generator, evaluator }
  return names.length === 0 ? {} : { agents: names }
}
