import type { AgentDefinition, AgentRunner, Failure } from '@troupe/schema'
import type { z } from 'zod'
import { toConversation, type ClientConversation, type ClientMessage } from './client-conversation.ts'
import { isFailure } from './is-failure.ts'
import { readJson } from './read-json.ts'
import { servedAgent } from './served-agent.ts'

/** A request for an agent as if it were a model. */
export interface ModelCall<Asked> {
  readonly asked: Asked
  readonly agent: AgentDefinition
  readonly conversation: ClientConversation
}

/** Reads a request of a protocol whose clients name an agent as the model and send the conversation themselves; a failure where it does not fit. */
export async function readModelCall<Asked extends { readonly model: string }>(
  request: Request,
  {
    schema,
    toMessages,
    runner,
  }: {
    readonly schema: z.ZodType<Asked>
    toMessages(asked: NoInfer<Asked>): readonly ClientMessage[] | Failure
    readonly runner: AgentRunner
  },
): Promise<ModelCall<Asked> | Failure> {
  const read = await readJson(request, schema)
  if (!read.ok) return read.reason
  const { value: asked } = read
  const agent = servedAgent(runner, asked.model)
  if (isFailure(agent)) return agent
  const messages = toMessages(asked)
  if (isFailure(messages)) return messages
  const conversation = toConversation(messages)
  return isFailure(conversation) ? conversation : { asked, agent, conversation }
}
