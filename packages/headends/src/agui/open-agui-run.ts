import { failure, type ClientTool, type Failure, type JsonObject, type RunReport } from '@troupe/schema'
import type { ClientDecisions, OpenRun } from '../client-calls/client-runs.ts'
import { readClientTools } from '../client-calls/client-tools.ts'
import { findContinuation } from '../client-calls/find-continuation.ts'
import { toConversation } from '../client-runs/client-conversation.ts'
import { isFailure } from '../headend/errors.ts'
import type { HeadendContext } from '../headend/headend.ts'
import {
  startHeldConversation,
  startHeldRun,
  type HeldRun,
  type HeldRunContext,
  type HeldRunOptions,
} from '../human-input/held-runs.ts'
import { readAnswer, readDecision } from '../human-input/run-questions.ts'
import type { RunService } from '../run-service/run-service.ts'
import { aguiMessages, aguiTools, type AguiRequest } from './agui-request.ts'
import { createEventMapper, type EventMapper } from './create-event-mapper.ts'
import { createSharedState, stateProblem, type SharedState } from './shared-state.ts'

/** A held run of a thread, with the state of its event mapper. */
export interface AguiRun extends HeldRun {
  readonly runId: string
  readonly mapper: EventMapper
  readonly tools: readonly ClientTool[]
  /** Calls of the client by approval id, and whether they have a result. */
  readonly clientCalls: Map<string, boolean>
  /** Arguments of open calls that change the state, by approval id. */
  readonly stateCalls: Map<string, JsonObject>
  /** The state as the client last sent it, with the changes of the agent since then. */
  readonly sharedState: SharedState
}

/** The dependencies of a request. */
export interface AguiContext extends HeldRunContext {
  readonly runService: Pick<RunService, 'clientCalls' | 'stop'>
}

/**
 * Returns the run that a request is for: the held run of its thread, a stored run that waits for its client, or
 * a new one.
 */
export async function openAguiRun(
  body: AguiRequest,
  held: AguiRun | undefined,
  aguiContext: AguiContext,
): Promise<AguiRun | Failure> {
  const problem = stateProblem(body.state)
  if (problem !== undefined) return problem
  const run = await findOrStartRun(body, held, aguiContext)
  return isFailure(run) ? run : { ...run, sharedState: createSharedState(body.state) }
}

async function findOrStartRun(
  body: AguiRequest,
  held: AguiRun | undefined,
  aguiContext: AguiContext,
): Promise<AguiRun | Failure> {
  if ((body.resume ?? []).length > 0) return answerQuestions(body, held)
  const { agent, caller, context } = aguiContext
  const messages = aguiMessages(body)
  if (isFailure(messages)) return messages
  const tools = aguiTools(body)
  if (isFailure(tools)) return tools
  const clientTools = readClientTools({ tools }, agent)
  if (clientTools !== undefined && isFailure(clientTools)) return clientTools
  const continuation = await findContinuation({ messages, clientTools, forbidsCalls: false }, async (runId) =>
    held?.runId === runId ? toOpenRun(held, aguiContext) : findStored(runId, aguiContext),
  )
  if (continuation !== undefined)
    return isFailure(continuation) ? continuation : continuation.waiting.resume(continuation.results)
  const conversation = toConversation(messages, agent, { keepsCalls: clientTools !== undefined })
  if (isFailure(conversation)) return conversation
  const started = startHeldConversation(
    conversation,
    { agent, caller, context },
    clientTools === undefined ? {} : { clientTools },
  )
  return toAguiRun(started, { tools: clientTools?.tools ?? [], context })
}

/** A run with open calls of its client. */
interface WaitingAguiRun extends OpenRun {
  resume(results: ClientDecisions): Promise<AguiRun>
}

/** Returns the open calls of a run that waits in this process. */
function toOpenRun(run: AguiRun, { runService }: AguiContext): WaitingAguiRun {
  const { runId, tools, clientCalls } = run
  return {
    runId,
    tools,
    known: new Set(clientCalls.keys()),
    open: [...clientCalls].flatMap(([approvalId, hasResult]) => (hasResult ? [] : approvalId)),
    cancel: async () => run.cancel(),
    async resume(results) {
      for (const [approvalId, decision] of results) {
        await runService.clientCalls.decide(runId, { approvalId, decision })
        clientCalls.set(approvalId, true)
      }
      return run
    },
  }
}

/** Returns the open calls of a run that waits in the store. */
export async function findStored(
  runId: string,
  { agent, caller, context, runService }: AguiContext,
): Promise<WaitingAguiRun | undefined> {
  const { principal } = caller
  const stored = await runService.clientCalls.find({ runId, principal, agent: agent.name })
  return (
    stored && {
      ...stored,
      cancel: async () => void (await runService.stop(runId, principal)),
      async resume(results) {
        const execute = (options: HeldRunOptions): Promise<RunReport> => stored.resume(results, options)
        const run = { ...startHeldRun(execute, { runId, caller, context }), runId }
        return toAguiRun(run, { tools: stored.tools, context })
      },
    }
  )
}

function toAguiRun(
  run: HeldRun & { readonly runId: string },
  { tools, context }: { readonly tools: readonly ClientTool[]; readonly context: HeadendContext },
): AguiRun {
  return {
    ...run,
    mapper: createEventMapper(() => context.newId('message')),
    tools,
    clientCalls: new Map(),
    stateCalls: new Map(),
    sharedState: createSharedState(undefined),
  }
}

/**
 * Passes the answers to the run. Answers to questions that are no longer open are ignored; an answer that
 * cannot be read denies.
 */
function answerQuestions({ resume: answers = [] }: AguiRequest, run: AguiRun | undefined): AguiRun | Failure {
  if (run === undefined)
    return failure(
      'approval_unknown',
      'No run of this thread is waiting for an answer.',
      'Run the agent again.',
    )
  for (const { interruptId, status, payload } of answers) {
    const question = run.find(interruptId)
    const response = status === 'resolved' ? payload : undefined
    if (question?.kind === 'approval')
      question.settle(readDecision(response) ?? { decision: 'denied', reason: 'The answer was not clear.' })
    if (question?.kind === 'question')
      question.settle(readAnswer(response) ?? { answered: false, reason: 'The question was dismissed.' })
  }
  return run
}
