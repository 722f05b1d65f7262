import {
  readClientToolName,
  toFailure,
  type Failure,
  type JsonObject,
  type RunEvent,
  type RunReport,
} from '@troupe/schema'
import { servedAgent } from '../client-runs/run-for-caller.ts'
import { errorResponse, isFailure } from '../headend/errors.ts'
import { type Headend, type HeadendContext, type Handler, postCommand } from '../headend/headend.ts'
import { createHeldRuns, type HeldRuns, type RunWatcher } from '../human-input/held-runs.ts'
import type { OpenQuestion } from '../human-input/run-questions.ts'
import { readJson } from '../request/read-json.ts'
import { RUN_ERRORS } from '../routes/openapi.ts'
import type { RunService } from '../run-service/run-service.ts'
import { routes } from '../routes/routes.ts'
import { eventStream, sseBlock, createSseBuffer } from '../sse/event-stream.ts'
import { aguiRequest, type AguiRequest } from './agui-request.ts'
import type { AguiEvent } from './create-event-mapper.ts'
import { openAguiRun, type AguiContext, type AguiRun } from './open-agui-run.ts'
import { STATE_TOOL } from './shared-state.ts'
import { executeStateCalls } from './state-calls.ts'

/**
 * Creates the headend for AG-UI 1.0: streams runs with their tool calls, child runs as subagents and
 * approvals as interrupts. Calls of the client's tools have no result; the next request brings it.
 */
export function createAguiHeadend(
  context: HeadendContext,
  runService: Pick<RunService, 'clientCalls' | 'stop'>,
): Headend {
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
            handler: answerAgui(context, { heldRuns, runService }),
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

/**
 * Handles `POST /agui/:agent`: runs the agent on the client's conversation, or resumes a run that waits for
 * its answers.
 */
function answerAgui(
  context: HeadendContext,
  {
    heldRuns,
    runService,
  }: { readonly heldRuns: HeldRuns<AguiRun>; readonly runService: Pick<RunService, 'clientCalls' | 'stop'> },
): Handler {
  return async ({ req, env: { caller } }) => {
    const agent = servedAgent(context.runner, req.param('agent'))
    if (isFailure(agent)) return errorResponse(agent)
    const read = await readJson(req.raw, aguiRequest)
    if (!read.ok) return errorResponse(read.reason)
    const { value: body } = read
    const key = JSON.stringify([caller.principal, agent.name, body.threadId])
    const held = heldRuns.take(key)
    const aguiContext = { agent, caller, context, runService }
    const run = await openAguiRun(body, held, aguiContext)
    if (isFailure(run)) {
      if (held !== undefined) heldRuns.put(key, held)
      return errorResponse(run)
    }
    const isResumed = run.runId === held?.runId
    if (!isResumed) held?.cancel()
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
    const request = {
      body,
      usage: createUsageCount(),
      send,
      done: () => buffer.end(),
      hold: (held: AguiRun, options?: { readonly clientOf?: string }) => heldRuns.put(key, held, options),
      watch: (next: AguiRun) => next.watch(watcherOf(next, request, aguiContext), req.raw),
    }
    request.watch(run)
    return eventStream(buffer, { clock: context.clock, caller, headers: { 'troupe-run-id': run.runId } })
  }
}

/** A request that receives events, first of one run and, after a change of the state, of the resumed run. */
interface AguiConnection {
  readonly body: AguiRequest
  readonly usage: ReturnType<typeof createUsageCount>
  send(events: readonly AguiEvent[]): void
  done(): void
  /** Stores a run that waits in this process. `clientOf` is the principal whose client it waits for. */
  hold(run: AguiRun, options?: { readonly clientOf?: string }): void
  watch(run: AguiRun): void
}

/** Creates a watcher that sends the events of a run to one request. */
function watcherOf(run: AguiRun, connection: AguiConnection, aguiContext: AguiContext): RunWatcher {
  const { runId, mapper, clientCalls, stateCalls } = run
  const { body, usage, send, done, hold, watch } = connection
  const ids = { threadId: body.threadId, runId: body.runId }
  const finish = (outcome: object): void => {
    send([...mapper.suspend(), { type: 'RUN_FINISHED', ...ids, outcome, usage: usage.list() }])
    done()
  }
  const end = (last: RunReport | Failure): void => {
    send([...mapper.end(isFailure(last) ? undefined : last), endOf(last, ids, usage.list())])
    done()
  }
  /** Ends the request if the run waits for its client. A run that only changed the state continues. */
  const waitForClient = async (): Promise<void> => {
    try {
      const { events, next } = await executeStateCalls(run, aguiContext)
      send(events)
      if (next !== undefined) return watch(next)
    } catch (thrown) {
      run.cancel()
      return end(toFailure(thrown))
    }
    if (!run.isOver()) hold(run, { clientOf: aguiContext.caller.principal })
    return finish({ type: 'success' })
  }
  return {
    event(event) {
      usage.add(event)
      if (event.type === 'approval-request' && event.client === true) {
        const { approvalId, toolName, args } = event
        if (readClientToolName(toolName) === STATE_TOOL) return void stateCalls.set(approvalId, args)
        clientCalls.set(approvalId, false)
      }
      return send(mapper.read(event))
    },
    pause(questions) {
      if (questions.length === 0) return void waitForClient()
      hold(run)
      return finish({
        type: 'interrupt',
        interrupts: questions.map((question) => toInterrupt(question, runId)),
      })
    },
    end: (last) => (waitsForClient(last) ? void waitForClient() : end(last)),
  }
}

function endOf(last: RunReport | Failure, ids: object, usage: readonly unknown[]): AguiEvent {
  const error = isFailure(last) ? last : last.error
  const outcome = isFailure(last) ? undefined : last.outcome
  if (outcome === 'cancelled') return { type: 'RUN_FINISHED', ...ids, outcome: { type: 'cancelled' }, usage }
  if (isFailure(last) || (outcome !== 'completed' && outcome !== 'partial')) {
    const { code = 'internal', message = `The run ended with the outcome ${outcome}.`, retryAt } = error ?? {}
    const metadata = retryAt === undefined ? {} : { metadata: { retryAt } }
    return { type: 'RUN_ERROR', message, code, ...metadata, usage }
  }
  const result = { outcome, output: last.output, usage: last.usage }
  return { type: 'RUN_FINISHED', ...ids, result, outcome: { type: 'success' }, usage }
}

function waitsForClient(last: RunReport | Failure): boolean {
  return !isFailure(last) && last.error?.code === 'run_waiting'
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
