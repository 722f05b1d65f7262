import { failure, type Failure, type RunReport } from '@troupe/schema'
import { errorResponse } from '../error-response.ts'
import { eventStream } from '../event-stream.ts'
import type { HeadendContext } from '../headend.ts'
import { isFailure } from '../is-failure.ts'
import { createOutbox } from '../outbox.ts'
import { beginHeldRun, type HeldRunPlace } from '../person/begin-held-run.ts'
import type { HeldRun, RunWatcher } from '../person/held-run.ts'
import type { HeldRuns } from '../person/held-runs.ts'
import { readAnswer, readDecision } from '../person/read-decision.ts'
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
    const { value: asked } = read
    const key = JSON.stringify([caller.principal, agent.name, asked.threadId])
    const isResumed = (asked.resume ?? []).length > 0
    const run = isResumed
      ? resume(asked, held.take(key))
      : begin(asked, { agent: agent.name, caller, context })
    if (isFailure(run)) return errorResponse(run)
    if (!isResumed) held.take(key)?.cancel()
    const outbox = createOutbox({ dropped: () => caller.cut() })
    const send = (events: readonly AguiEvent[]): void => {
      for (const event of events) outbox.push(sseBlock(event))
    }
    send([
      {
        type: 'RUN_STARTED',
        threadId: asked.threadId,
        runId: asked.runId,
        protocolVersion: '1.0',
        metadata: { runId: run.runId },
      },
      ...(isResumed ? run.mapper.resume() : []),
    ])
    run.watch(
      watcherOf(run, { asked, send, done: () => outbox.end(), hold: () => held.put(key, run) }),
      req.raw,
    )
    return eventStream(outbox, { clock: context.clock, caller, headers: { 'troupe-run-id': run.runId } })
  }
}

/** Creates a watcher that sends the events of a run to one request. */
function watcherOf(
  { runId, mapper }: AguiRun,
  {
    asked: { threadId, runId: givenId },
    send,
    done,
    hold,
  }: {
    readonly asked: AguiRequest
    send(events: readonly AguiEvent[]): void
    done(): void
    hold(): void
  },
): RunWatcher {
  const usage = createUsageCount()
  const place = { threadId, runId: givenId }
  return {
    event(event) {
      usage.add(event)
      send(mapper.read(event))
    },
    rest(questions) {
      const interrupts = questions.map((question) => toInterrupt(question, runId))
      const outcome = { type: 'interrupt', interrupts }
      hold()
      send([...mapper.suspend(), { type: 'RUN_FINISHED', ...place, outcome, usage: usage.list() }])
      done()
    },
    end(last) {
      send([...mapper.end(isFailure(last) ? undefined : last), endOf(last, place, usage.list())])
      done()
    },
  }
}

function endOf(last: RunReport | Failure, place: object, usage: readonly unknown[]): AguiEvent {
  const error = isFailure(last) ? last : last.error
  const outcome = isFailure(last) ? undefined : last.outcome
  if (outcome === 'cancelled')
    return { type: 'RUN_FINISHED', ...place, outcome: { type: 'cancelled' }, usage }
  if (isFailure(last) || (outcome !== 'completed' && outcome !== 'partial')) {
    const { code = 'internal', message = `The run ended as ${outcome}.` } = error ?? {}
    return { type: 'RUN_ERROR', message, code, usage }
  }
  const result = { outcome, output: last.output, usage: last.usage }
  return { type: 'RUN_FINISHED', ...place, result, outcome: { type: 'success' }, usage }
}

function begin(asked: AguiRequest, place: HeldRunPlace): AguiRun | Failure {
  const conversation = aguiConversation(asked)
  if (isFailure(conversation)) return conversation
  const mapper = createEventMapper(() => place.context.newId('message'))
  return { ...beginHeldRun(conversation, place), mapper }
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
