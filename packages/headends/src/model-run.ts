import type { AgentDefinition, Failure, RunListener, RunOptions, RunReport } from '@troupe/schema'
import { conversationOptions, type ClientConversation } from './client-conversation.ts'
import type { HeadendContext } from './headend.ts'
import { isFailure } from './is-failure.ts'
import { resolveOutput, type OutputOptions } from './resolve-output.ts'
import { runForCaller, type RunOwner } from './run-for-caller.ts'

/** A call of an agent through a model API. */
export interface ModelRun {
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
