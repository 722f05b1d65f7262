import type {
  AgentDefinition,
  Failure,
  RunListener,
  RunOptions,
  RunReport,
  AgentRunner,
} from '@troupe/schema'
import type { z } from 'zod'
import { isFailure } from '../headend/errors.ts'
import type { HeadendContext } from '../headend/headend.ts'
import { readJson } from '../request/read-json.ts'
import {
  conversationOptions,
  type ClientConversation,
  toConversation,
  type ClientMessage,
} from './client-conversation.ts'
import { resolveOutput, type OutputOptions } from './resolve-output.ts'
import { runForCaller, type RunOwner, servedAgent } from './run-for-caller.ts'

/** A call of an agent through a model API. */
interface ModelRun {
  readonly agent: AgentDefinition
  readonly conversation: ClientConversation
  readonly outputOptions: OutputOptions
  /** Session to continue. The earlier messages of the client are then ignored. */
  readonly sessionId?: string | undefined
  readonly runId: string
  /** Stored with the run. */
  readonly note?: RunOptions['note'] | undefined
}

/** A run that is ready to start. */
export interface PreparedModelRun {
  /** True if the answer is JSON. */
  readonly isJson: boolean
  run(onEvent?: RunListener): Promise<RunReport | Failure>
}

/** Prepares the run of a call. Returns a failure if the requested output format is not possible. */
export function prepareModelRun(
  { agent, conversation, outputOptions, sessionId, runId, note }: ModelRun,
  owner: RunOwner,
  context: HeadendContext,
): PreparedModelRun | Failure {
  const output = resolveOutput(outputOptions, agent)
  if (output !== undefined && isFailure(output)) return output
  const options: RunOptions = {
    runId,
    ...(output === undefined ? {} : { output }),
    // The stored conversation replaces the client's earlier messages.
    ...conversationOptions(sessionId === undefined ? conversation : { ...conversation, earlier: [] }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(note === undefined ? {} : { note }),
  }
  return {
    isJson: (output ?? agent.output).format === 'json',
    run: (onEvent) =>
      runForCaller(
        {
          agent: agent.name,
          input: conversation.input,
          options: onEvent === undefined ? options : { ...options, onEvent },
        },
        owner,
        context,
      ),
  }
}

/** A valid request to an agent through a model API. */
interface ModelApiCall<Body> {
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
