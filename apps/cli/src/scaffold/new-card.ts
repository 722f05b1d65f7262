import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CARD_FORMATS } from '@troupe/card-formats'
import { parseCard } from '@troupe/cards'
import { troupeError, type AgentType } from '@troupe/schema'
import { AGENT_TYPES } from '@troupe/schema/agent-keys'
import { dump } from 'js-yaml'
import { CARD_SCHEMA } from './editor-schemas.ts'

/** Values of a new card. */
export interface NewCard {
  readonly name: string
  readonly type: AgentType
  readonly description?: string | undefined
  readonly model?: string | undefined
  /** Children of the agent, or the agents that a composition runs. */
  readonly agents: readonly string[]
  /** True for a card with a schedule. */
  readonly isScheduled?: boolean
}

const PLACEHOLDERS: Readonly<Record<AgentType, readonly string[]>> = {
  agent: [],
  chain: ['first', 'second'],
  parallel: ['one', 'two'],
  router: ['one', 'two'],
  orchestrator: ['one', 'two'],
  evaluator_optimizer: ['writer', 'critic'],
  voting: ['worker'],
}

/**
 * Returns the text of a new card in a folder. Throws `usage_invalid` for an unknown type or an invalid name.
 */
export function newCard(card: NewCard, folder: string): string {
  if (!AGENT_TYPES.includes(card.type)) {
    throw troupeError(
      'usage_invalid',
      `There is no agent type "${card.type}". Use one of: ${AGENT_TYPES.join(', ')}.`,
    )
  }
  const text = cardText(card, folder)
  const problem = parseCard(text, { path: `${card.name}.md`, formats: CARD_FORMATS }).problems.find(
    ({ severity }) => severity === 'error',
  )
  if (problem === undefined) return text
  throw troupeError('usage_invalid', problem.message, {
    fix: problem.fix ?? 'Choose another name.',
  })
}

/** Schedule of a new card: on weekdays at nine. */
const SCHEDULE = { cron: '0 9 * * 1-5', timeZone: 'Etc/UTC', input: 'an example input' }

function cardText(card: NewCard, folder: string): string {
  const schema = existsSync(join(folder, CARD_SCHEMA))
    ? [`# yaml-language-server: $schema=${CARD_SCHEMA}`]
    : []
  const fields = {
    name: card.name,
    description: card.description ?? 'Describe here what this agent does, for the agents that call it.',
    usage: 'an example input',
    ...(card.type === 'agent' ? {} : { type: card.type }),
    ...(card.model === undefined ? {} : { model: card.model }),
    ...membersOf(card),
    ...(card.isScheduled === true ? { schedule: SCHEDULE } : {}),
  }
  return [
    '---',
    ...schema,
    dump(fields, { lineWidth: -1 }).trimEnd(),
    '---',
    ...(card.type === 'agent'
      ? ['Describe what the agent does, step by step, and the format of its answer.']
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
  if (type === 'voting') return { worker: names[0] ?? 'worker' }
  return names.length === 0 ? {} : { agents: names }
}
