import type { AgentDefinition, Failure, RunListener, RunOptions, RunReport } from '@troupe/schema'
import { conversationOptions, type ClientConversation } from './client-conversation.ts'
import type { HeadendContext } from './headend.ts'
import { isFailure } from './is-failure.ts'
import { wishedOutput, type OutputWish } from './output-wish.ts'
import { runForCaller, type RunsFor } from './run-for-caller.ts'

/** A call of an agent as if it were a model. */
export interface ModelRun {
  readonly agent: AgentDefinition
  readonly conversation: ClientConversation
  readonly wish: OutputWish
  /** Goes on with a conversation that is kept, in place of one that the client sends. */
  readonly sessionId?: string | undefined
  readonly runId: string
  /** Kept with the run. */
  readonly note?: RunOptions['note'] | undefined
}

/** A run that can be started. */
export interface ReadyModelRun {
  /** The answer is JSON. */
  readonly isJson: boolean
  run(onEvent?: RunListener): Promise<RunReport | Failure>
}

/** Makes a run of a call; a failure where its form cannot be had. */
export function readyModelRun(
  { agent, conversation, wish, sessionId, runId, note }: ModelRun,
  runsFor: RunsFor,
  context: HeadendContext,
): ReadyModelRun | Failure {
  const output = wishedOutput(wish, agent)
  if (output !== undefined && isFailure(output)) return output
  const options: RunOptions = {
    runId,
    ...(output === undefined ? {} : { output }),
    // what is kept of the conversation is what goes on
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
        runsFor,
        context,
      ),
  }
}
