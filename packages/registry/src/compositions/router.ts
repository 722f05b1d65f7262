import { getOwn, type JsonObject } from '@troupe/schema'
import type { Compose } from '@troupe/schema/ports'
import { askJson } from './ask-json.ts'
import {
  delegateOne,
  describeMembers,
  type Member,
  type Members,
  toComposedEnd,
  toFailedEnd,
} from './delegate.ts'

/**
 * Lets its model choose one agent, whose answer becomes the answer. Skips the model if there is only one
 * agent.
 */
export function router({ agents }: Members): Compose {
  return async (context) => {
    const { input } = context
    const [only] = agents
    if (only !== undefined && agents.length === 1)
      return toComposedEnd(await delegateOne(context, only, input))
    const choice = await askJson(context, {
      prompt: routePrompt(input, agents),
      schema: routeSchema(agents),
      read: (value, text) => readChoice(agents, value, text),
    })
    if ('failure' in choice) return toFailedEnd(choice.failure)
    return toComposedEnd(await delegateOne(context, choice.value, input))
  }
}

function routePrompt(input: string, agents: readonly Member[]): string {
  return [
    'Choose the one agent that should answer the request. Do not answer it yourself.',
    `Agents:\n${describeMembers(agents)}`,
    `Request:\n${input}`,
    'Answer with a JSON object: {"agent": "<name of the agent>"}',
  ].join('\n\n')
}

function routeSchema(agents: readonly Member[]): JsonObject {
  return {
    type: 'object',
    properties: { agent: { type: 'string', enum: agents.map(({ name }) => name) } },
    required: ['agent'],
    additionalProperties: false,
  }
}

/** Accepts JSON, or the bare name of an agent. */
function readChoice(
  agents: readonly Member[],
  value: JsonObject | undefined,
  text: string,
): Member | { readonly problem: string } {
  const written = value === undefined ? text : getOwn(value, 'agent')
  const name = typeof written === 'string' ? written.trim() : ''
  const chosen = agents.find((agent) => agent.name === name)
  if (chosen !== undefined) return chosen
  const known = agents.map((agent) => agent.name).join(', ')
  return { problem: `"${name.slice(0, 100)}" is not the name of an agent. Known agents: ${known}.` }
}
