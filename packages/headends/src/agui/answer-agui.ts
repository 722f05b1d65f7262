import { failure, type Failure, type RunReport } from '@troupe/schema'
import { errorResponse } from '../error-response.ts'
import { eventStream } from '../event-stream.ts'
import type { HeadendContext } from '../headend.ts'
import { isFailure } from '../is-failure.ts'
import { createSseBuffer } from '../sse-buffer.ts'
import { startHeldConversation, type HeldRunContext } from '../human-input/start-held-conversation.ts'
import type { HeldRun, RunWatcher } from '../human-input/held-run.ts'
import type { HeldRuns } from '../human-input/held-runs.ts'
import { readAnswer, readDecision } from '../human-input/read-decision.ts'
import { readJson } from '../read-json.ts'
import type { Handler } from '../handler.ts'
import { servedAgent } from '../served-agent.ts'
import { sseBlock } from '../sse-block.ts'
import { aguiConversation, aguiRequest, type AguiRequest } from './agui-request.ts'
import type { AguiEvent } from './agui-event.ts'
import { createUsageCount } from './count-usage.ts'
import { createEventMapper, type EventMapper } from './create-event-mapper.ts'
import { toInterrupt } from './to-interrupt.ts'

/** A held run of a thread, with the state of its event mapper. */
export interface AguiRun extends HeldRun {
  readonly runId: string
  readonly mapper: EventMapper
}

/**
 * Handles `POST /agui/:agent`: runs the agent on the client's conversation, or resumes a run that waits for
 * its answers.
 */
export function answerAgui(context: HeadendContext, held: HeldRuns<AguiRun>): Handler {
  return async ({ req, env: { caller } }) => {
    const agent = servedAgent(context.runner, req.param('agent'))
    if (isFailure(agent)) return errorResponse(agent)
    const read = await readJson(req.raw, aguiRequest)
    if (!read.ok) return errorResponse(read.reason)
    const { value: body } = read
    const key = JSON.stringify([caller.principal, agent.name, body.threadId])
    const isResumed = (body.resume ?? []).length > 0
    const run = isResumed
      ? resume(body, held.take(key))
      : startRun(body, { agent: agent.name, caller, context })
    if (isFailure(run)) return errorResponse(run)
    if (!isResumed) held.take(key)?.cancel()
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
      watcherOf(run, { body, send, done: () => buffer.end(), hold: () => held.put(key, run) }),
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
    const { code = 'internal', message = `The run ended as ${outcome}.` } = error ?? {}
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
    return failure('approval_unknown', 'No run of this thread waits for an answer.', 'Run the agent again.')
  for (const { interruptId, status, payload } of answers) {
    const question = run.find(interruptId)
    const given = status === 'resolved' ? payload : undefined
    if (question?.kind === 'approval')
      question.settle(readDecision(given) ?? { decision: 'denied', reason: 'The answer was not clear.' })
    if (question?.kind === 'question')
      question.settle(readAnswer(given) ?? { answered: false, reason: 'The question was dismissed.' })
  }
  return run
}
