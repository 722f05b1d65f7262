import type { AgentDefinition, AgentRunner, Failure } from '@troupe/schema'
import type { z } from 'zod'
import { toConversation, type ClientConversation, type ClientMessage } from './client-conversation.ts'
import { isFailure } from './is-failure.ts'
import { readJson } from './read-json.ts'
import { servedAgent } from './served-agent.ts'

/** A valid request to an agent through a model API. */
export interface ModelApiCall<Body> {
  readonly body: Body
  readonly agent: AgentDefinition
  readonly conversation: ClientConversation
}

/**
 * Reads a request of a protocol in which the model is the name of an agent and the client sends the
 * conversation. Returns a failure if the request is invalid.
 */
export async function readModelCall<Body extends { readonly model: string }>(
  request: Request,
  {
    schema,
    toMessages,
    runner,
  }: {
    readonly schema: z.ZodType<Body>
    toMessages(body: NoInfer<Body>): readonly ClientMessage[] | Failure
    readonly runner: AgentRunner
  },
): Promise<ModelApiCall<Body> | Failure> {
  const read = await readJson(request, schema)
  if (!read.ok) return read.reason
  const { value: body } = read
  const agent = servedAgent(runner, body.model)
  if (isFailure(agent)) return agent
  const messages = toMessages(body)
  if (isFailure(messages)) return messages
  const conversation = toConversation(messages)
  return isFailure(conversation) ? conversation : { body, agent, conversation }
}
