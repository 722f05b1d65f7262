import { failure, type Failure, type RunReport, type JsonObject, type RunEvent } from '@troupe/schema'
import { servedAgent } from '../client-runs/run-for-caller.ts'
import { errorResponse, isFailure } from '../headend/errors.ts'
import { type Headend, type HeadendContext, type Handler, postCommand } from '../headend/headend.ts'
import {
  createHeldRuns,
  startHeldConversation,
  type HeldRunContext,
  type HeldRun,
  type RunWatcher,
  type HeldRuns,
} from '../human-input/held-runs.ts'
import { readAnswer, readDecision, type OpenQuestion } from '../human-input/run-questions.ts'
import { readJson } from '../request/read-json.ts'
import { RUN_ERRORS } from '../routes/openapi.ts'
import { routes } from '../routes/routes.ts'
import { eventStream, sseBlock, createSseBuffer } from '../sse/event-stream.ts'
import { aguiRequest, aguiConversation, type AguiRequest } from './agui-request.ts'
import { createEventMapper, type EventMapper, type AguiEvent } from './create-event-mapper.ts'

/**
 * Creates the headend for AG-UI 1.0: streams runs with their tool calls, child runs as subagents and
 * approvals as interrupts.
 */
export function createAguiHeadend(context: HeadendContext): Headend {
  const heldRuns = createHeldRuns<AguiRun>()
  return {
    name: 'agui',
    ...routes(
      {
        '/agui/:agent': {
          POST: {
            id: 'runAgui',
            summary: 'Run an agent for an AG-UI client',
            body: aguiRequest,
            answers: {
              200: { description: 'AG-UI events', content: { 'text/event-stream': 'text' } },
            },
            errors: RUN_ERRORS,
            handler: answerAgui(context, heldRuns),
          },
        },
      },
      { tag: 'AG-UI', ...context },
    ),
    examples: ({ origin, agent, message, credentials }) => {
      const url = `${origin}/agui/${encodeURIComponent(agent)}`
      const messages = [{ id: '1', role: 'user', content: message }]
      const body = { threadId: '1', runId: '1', messages, tools: [], context: [] }
      return [{ title: 'AG-UI', url, command: postCommand(url, body, { credentials }) }]
    },
    drain: heldRuns.drain,
  }
}

/** A held run of a thread, with the state of its event mapper. */
interface AguiRun extends HeldRun {
  readonly runId: string
  readonly mapper: EventMapper
}

/**
 * Handles `POST /agui/:agent`: runs the agent on the client's conversation, or resumes a run that waits for
 * its answers.
 */
function answerAgui(context: HeadendContext, heldRuns: HeldRuns<AguiRun>): Handler {
  return async ({ req, env: { caller } }) => {
    const agent = servedAgent(context.runner, req.param('agent'))
    if (isFailure(agent)) return errorResponse(agent)
    const read = await readJson(req.raw, aguiRequest)
    if (!read.ok) return errorResponse(read.reason)
    const { value: body } = read
    const key = JSON.stringify([caller.principal, agent.name, body.threadId])
    const isResumed = (body.resume ?? []).length > 0
    const run = isResumed
      ? resume(body, heldRuns.take(key))
      : startRun(body, { agent: agent.name, caller, context })
    if (isFailure(run)) return errorResponse(run)
    if (!isResumed) heldRuns.take(key)?.cancel()
    const buffer = createSseBuffer({ onOverflow: () => caller.cut() })
    const send = (events: readonly AguiEvent[]): void => {
      for (const event of events) buffer.push(sseBlock(event))
    }
    send([
      {
        type: 'RUN_STARTED',
        threadId: body.threadId,
        runId: body.runId,
        protocolVersion: '1.0',
        metadata: { runId: run.runId },
      },
      ...(isResumed ? run.mapper.resume() : []),
    ])
    run.watch(
      watcherOf(run, { body, send, done: () => buffer.end(), hold: () => heldRuns.put(key, run) }),
      req.raw,
    )
    return eventStream(buffer, { clock: context.clock, caller, headers: { 'troupe-run-id': run.runId } })
  }
}

/** Creates a watcher that sends the events of a run to one request. */
function watcherOf(
  { runId, mapper }: AguiRun,
  {
    body: { threadId, runId: givenId },
    send,
    done,
    hold,
  }: {
    readonly body: AguiRequest
    send(events: readonly AguiEvent[]): void
    done(): void
    hold(): void
  },
): RunWatcher {
  const usage = createUsageCount()
  const ids = { threadId, runId: givenId }
  return {
    event(event) {
      usage.add(event)
      send(mapper.read(event))
    },
    pause(questions) {
      const interrupts = questions.map((question) => toInterrupt(question, runId))
      const outcome = { type: 'interrupt', interrupts }
      hold()
      send([...mapper.suspend(), { type: 'RUN_FINISHED', ...ids, outcome, usage: usage.list() }])
      done()
    },
    end(last) {
      send([...mapper.end(isFailure(last) ? undefined : last), endOf(last, ids, usage.list())])
      done()
    },
  }
}

function endOf(last: RunReport | Failure, ids: object, usage: readonly unknown[]): AguiEvent {
  const error = isFailure(last) ? last : last.error
  const outcome = isFailure(last) ? undefined : last.outcome
  if (outcome === 'cancelled') return { type: 'RUN_FINISHED', ...ids, outcome: { type: 'cancelled' }, usage }
  if (isFailure(last) || (outcome !== 'completed' && outcome !== 'partial')) {
    const { code = 'internal', message = `The run ended with the outcome ${outcome}.` } = error ?? {}
    return { type: 'RUN_ERROR', message, code, usage }
  }
  const result = { outcome, output: last.output, usage: last.usage }
  return { type: 'RUN_FINISHED', ...ids, result, outcome: { type: 'success' }, usage }
}

function startRun(body: AguiRequest, heldContext: HeldRunContext): AguiRun | Failure {
  const conversation = aguiConversation(body)
  if (isFailure(conversation)) return conversation
  const mapper = createEventMapper(() => heldContext.context.newId('message'))
  return { ...startHeldConversation(conversation, heldContext), mapper }
}

/**
 * Passes the answers to the run. Answers to questions that are no longer open are ignored; an answer that
 * cannot be read denies.
 */
function resume({ resume: answers = [] }: AguiRequest, run: AguiRun | undefined): AguiRun | Failure {
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

/** A question of a run as an AG-UI interrupt. */
interface AguiInterrupt {
  readonly id: string
  readonly reason: string
  readonly message: string
  readonly subagentRunId?: string
  readonly responseSchema: JsonObject
  readonly metadata: JsonObject
}

const DECISION: JsonObject = {
  type: 'object',
  properties: {
    decision: { enum: ['approved', 'denied'] },
    reason: { type: 'string' },
  },
  required: ['decision'],
}

/**
 * Converts a question to an interrupt. Questions of other runs than `rootRunId` are attributed to subagents.
 */
function toInterrupt(question: OpenQuestion, rootRunId: string): AguiInterrupt {
  const { id, runId, agent, toolName } = question
  const by = runId === rootRunId ? {} : { subagentRunId: runId }
  if (question.kind === 'approval') {
    const { args, reason } = question
    return {
      id,
      reason: 'tool_approval',
      message: reason ?? `${agent} wants to call ${toolName}.`,
      ...by,
      responseSchema: DECISION,
      metadata: { agent, toolName, args },
    }
  }
  const { question: message, choices, form } = question
  return {
    id,
    reason: 'question',
    message,
    ...by,
    responseSchema: form ?? {
      type: 'object',
      properties: { text: choices === undefined ? { type: 'string' } : { enum: choices } },
      required: ['text'],
    },
    metadata: { agent, toolName },
  }
}

/**
 * Token usage of one model in AG-UI's format. `totalTokens` is input plus output; the other counts are parts
 * of those.
 */
interface AguiUsage {
  readonly provider: string
  readonly model: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
  readonly reasoningTokens: number
  readonly cachedInputTokens: number
  readonly cacheWriteInputTokens: number
}

/**
 * Creates a counter that sums the usage of all model calls of a request, subagents included, by provider and
 * model.
 */
function createUsageCount(): { add(event: RunEvent): void; list(): readonly AguiUsage[] } {
  const counts = new Map<string, AguiUsage>()
  return {
    add(event) {
      if (event.type !== 'usage') return
      const { provider, model, tokens } = event
      const key = `${provider}\n${model}`
      const before = counts.get(key)
      const inputTokens = (before?.inputTokens ?? 0) + tokens.input
      const outputTokens = (before?.outputTokens ?? 0) + tokens.output
      counts.set(key, {
        provider,
        model,
        inputTokens,
        outputTokens,
        totalTokens: inputTokens + outputTokens,
        reasoningTokens: (before?.reasoningTokens ?? 0) + tokens.reasoning,
        cachedInputTokens: (before?.cachedInputTokens ?? 0) + tokens.cacheRead,
        cacheWriteInputTokens: (before?.cacheWriteInputTokens ?? 0) + tokens.cacheWrite,
      })
    },
    list: () => [...counts.values()],
  }
}
