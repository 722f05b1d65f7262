import { failure, type Failure, type RunReport } from '@troupe/schema'
import { isRefused, modelAnswerOf } from '../client-runs/answer-text.ts'
import { servedAgent } from '../client-runs/run-for-caller.ts'
import { isFailure, retryHint } from '../headend/errors.ts'
import type { Caller, HeadendContext } from '../headend/headend.ts'
import {
  createHeldRuns,
  startHeldConversation,
  type HeldRunContext,
  type HeldRun,
  type RunWatcher,
} from '../human-input/held-runs.ts'
import { readJson } from '../request/read-json.ts'
import {
  chatRequest,
  chatConversation,
  chatDecisions,
  lastUserText,
  type ChatRequest,
} from './chat-request.ts'
import { createChunkMapper, type ChunkMapper, type ChatChunk } from './create-chunk-mapper.ts'

/** The runs of chats, of which some wait in memory for a request with answers. */
export interface ChatRuns {
  /**
   * Starts the run that a chat request asks for, or resumes the one that waits for the answers in it. `agent` is
   * the only agent that may answer. Default: the one that the request names.
   */
  answer(request: Request, caller: Caller, agent?: string): Promise<ChatAnswer | Failure>
  /** Cancels the runs that wait. */
  drain(): void
}

/** The answer to one chat request. */
export interface ChatAnswer {
  readonly runId: string
  /** Id of the chat: that of the request, or a new one. */
  readonly chatId: string
  /**
   * Sends the chunks of the message until the run ends or waits for a person. Cancels the run if the signal
   * aborts before that. Call once.
   */
  send(sink: ChunkSink, request: Pick<Request, 'signal'>): void
}

/** The receiver of the chunks of one message. */
export interface ChunkSink {
  chunk(chunk: ChatChunk): void
  end(): void
}

/** Creates the runs of chats, without any that wait. */
export function createChatRuns(context: HeadendContext): ChatRuns {
  const heldRuns = createHeldRuns<ChatRun>()
  return {
    async answer(request, caller, only) {
      const read = await readJson(request, chatRequest)
      if (!read.ok) return read.reason
      const { value: body } = read
      const agent = servedAgent(context.runner, only ?? body.agent)
      if (isFailure(agent)) return agent
      const { id = context.newId('chat') } = body
      const key = JSON.stringify([caller.principal, agent.name, id])
      const waiting = heldRuns.take(key)
      const resumed = resumeRun(body, waiting, () => context.newId('message'))
      if (resumed === undefined) waiting?.cancel()
      const run = resumed ?? startRun(body, { agent, caller, context })
      if (isFailure(run)) return run
      return toAnswer(run, {
        chatId: id,
        agent: agent.name,
        hold: () => heldRuns.put(key, run),
        clock: context.clock,
      })
    },
    drain: heldRuns.drain,
  }
}

/** A held run of a chat, with the state of its chunk mapper. */
interface ChatRun extends HeldRun {
  readonly runId: string
  /** Id of the message that the run writes. */
  readonly messageId: string
  readonly mapper: ChunkMapper
}

function toAnswer(
  run: ChatRun,
  {
    chatId,
    agent,
    hold,
    clock,
  }: { readonly chatId: string; readonly agent: string; hold(): void } & Pick<HeadendContext, 'clock'>,
): ChatAnswer {
  const { runId, messageId } = run
  return {
    runId,
    chatId,
    send({ chunk, end }, request) {
      const send = (chunks: readonly ChatChunk[]): void => {
        for (const each of chunks) chunk(each)
      }
      send([{ type: 'start', messageId, messageMetadata: { runId, agent } }])
      run.watch(watcherOf(run, { send, done: end, hold, clock }), request)
    },
  }
}

/** Creates a watcher that sends the chunks of a run to one request. */
function watcherOf(
  { runId, mapper }: ChatRun,
  {
    send,
    done,
    hold,
    clock,
  }: { send(chunks: readonly ChatChunk[]): void; done(): void; hold(): void } & Pick<HeadendContext, 'clock'>,
): RunWatcher {
  return {
    event: (event) => send(mapper.read(event)),
    pause(questions) {
      const chunks = questions.flatMap((openQuestion): readonly ChatChunk[] => {
        if (openQuestion.kind === 'approval') return mapper.ask(openQuestion)
        const { id, agent, toolName, question, choices, form } = openQuestion
        return [{ type: 'data-question', id, data: { agent, toolName, question, choices, form } }]
      })
      hold()
      send([...chunks, ...mapper.close(), { type: 'finish', finishReason: 'tool-calls' }])
      done()
    },
    end(last) {
      send(finishChunks(mapper, last, { runId, now: clock.now() }))
      done()
    },
  }
}

/** Returns the last chunks of the message of a run that has ended. */
export function finishChunks(
  mapper: ChunkMapper,
  last: RunReport | Failure,
  { runId, now }: { readonly runId: string; readonly now: number },
): readonly ChatChunk[] {
  const report = modelAnswerOf(last)
  const messageMetadata = isFailure(last)
    ? { runId }
    : { runId, outcome: last.outcome, sessionId: last.sessionId, usage: last.usage }
  if (!isFailure(report)) {
    return [...mapper.complete(report), { type: 'finish', finishReason: finishOf(report), messageMetadata }]
  }
  if (report.class === 'cancelled') return [...mapper.close(), { type: 'abort', reason: report.message }]
  return [
    ...mapper.close(),
    errorChunk(report, now),
    { type: 'finish', finishReason: 'error', messageMetadata },
  ]
}

function finishOf(report: RunReport): 'content-filter' | 'length' | 'stop' {
  if (isRefused(report)) return 'content-filter'
  return report.outcome === 'partial' ? 'length' : 'stop'
}

function errorChunk(reason: Failure, now: number): ChatChunk {
  const { message, remediation } = reason
  return { type: 'error', errorText: `${message} ${remediation}${retryHint(reason, now)}` }
}

/**
 * Passes the answers in the request to the waiting run and returns the run; `undefined` if the request has
 * none for it. After a text answer the run writes a new message.
 */
function resumeRun(
  body: ChatRequest,
  run: ChatRun | undefined,
  newId: () => string,
): ChatRun | Failure | undefined {
  const decisions = chatDecisions(body)
  if (run === undefined)
    return decisions.length === 0
      ? undefined
      : failure('approval_unknown', 'No run of this chat is waiting for an answer.', 'Run the agent again.')
  for (const { approvalId, approved, reason } of decisions) {
    const question = run.find(approvalId)
    const why = reason === undefined ? {} : { reason }
    if (question?.kind === 'approval') question.settle({ decision: approved ? 'approved' : 'denied', ...why })
  }
  if (decisions.length > 0) return run
  const [question] = run.questions()
  const text = lastUserText(body) ?? ''
  if (question?.kind !== 'question' || text === '') return undefined
  question.settle({ answered: true, text })
  run.mapper.startMessage()
  return { ...run, messageId: newId() }
}

function startRun(body: ChatRequest, heldContext: HeldRunContext): ChatRun | Failure {
  const conversation = chatConversation(body, heldContext.agent)
  if (isFailure(conversation)) return conversation
  const { context } = heldContext
  const mapper = createChunkMapper(() => context.newId('part'))
  return { ...startHeldConversation(conversation, heldContext), messageId: context.newId('message'), mapper }
}
