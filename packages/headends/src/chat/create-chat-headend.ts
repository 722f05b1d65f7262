import { failure, type Failure } from '@troupe/schema'
import { answerOf } from '../client-runs/answer-text.ts'
import { servedAgent } from '../client-runs/run-for-caller.ts'
import { errorResponse, isFailure } from '../headend/errors.ts'
import {
  type Caller,
  type Headend,
  type HeadendContext,
  type Handler,
  postCommand,
} from '../headend/headend.ts'
import {
  createHeldRuns,
  startHeldConversation,
  type HeldRunContext,
  type HeldRun,
  type RunWatcher,
  type HeldRuns,
} from '../human-input/held-runs.ts'
import { readJson } from '../request/read-json.ts'
import { RUN_ERRORS } from '../routes/openapi.ts'
import { routes } from '../routes/routes.ts'
import { eventStream, sseBlock } from '../sse/event-stream.ts'
import {
  chatRequest,
  chatConversation,
  chatDecisions,
  lastUserText,
  type ChatRequest,
} from './chat-request.ts'
import { createChatStreams, type ChatStreams } from './chat-streams.ts'
import { createChunkMapper, type ChunkMapper, type ChatChunk } from './create-chunk-mapper.ts'

/**
 * Creates the headend for `useChat` of the AI SDK. It streams one UI message per run, with its tool calls as
 * parts and its child runs as data.
 */
export function createChatHeadend(context: HeadendContext): Headend {
  const heldRuns = createHeldRuns<ChatRun>()
  const streams = createChatStreams(context.clock)
  return {
    name: 'chat',
    ...routes(
      {
        '/api/chat': {
          POST: {
            id: 'chat',
            summary: 'Run an agent for the chat transport of the AI SDK',
            body: chatRequest,
            answers: {
              200: { description: 'A UI message stream', content: { 'text/event-stream': 'text' } },
            },
            errors: RUN_ERRORS,
            handler: answerChat(context, { heldRuns, streams }),
          },
        },
        '/api/chat/:id/stream': {
          GET: {
            id: 'resumeChat',
            summary: 'Read the answer that a run of a chat is writing, from its start',
            answers: {
              200: { description: 'A UI message stream', content: { 'text/event-stream': 'text' } },
              204: { description: 'No run of the chat is writing an answer' },
            },
            handler: resumeChat(context, streams),
          },
        },
      },
      { tag: 'AI SDK', ...context },
    ),
    examples: ({ origin, agent, message, credentials }) => {
      const url = `${origin}/api/chat`
      const messages = [{ id: '1', role: 'user', parts: [{ type: 'text', text: message }] }]
      return [
        {
          title: 'AI SDK chat',
          url,
          command: postCommand(url, { id: '1', agent, messages }, { credentials }),
        },
      ]
    },
    drain: heldRuns.drain,
    close: async () => streams.close(),
  }
}

/** A held run of a chat, with the state of its chunk mapper. */
interface ChatRun extends HeldRun {
  readonly runId: string
  /** Id of the message that the run writes. */
  readonly messageId: string
  readonly mapper: ChunkMapper
}

/** Handles `POST /api/chat`: answers the messages of a chat, or resumes a run that waited for a person. */
function answerChat(
  context: HeadendContext,
  { heldRuns, streams }: { readonly heldRuns: HeldRuns<ChatRun>; readonly streams: ChatStreams },
): Handler {
  return async ({ req, env: { caller } }) => {
    const read = await readJson(req.raw, chatRequest)
    if (!read.ok) return errorResponse(read.reason)
    const { value: body } = read
    const agent = servedAgent(context.runner, body.agent)
    if (isFailure(agent)) return errorResponse(agent)
    const { id = context.newId('chat') } = body
    const key = JSON.stringify([caller.principal, agent.name, id])
    const waiting = heldRuns.take(key)
    const resumed = resumeRun(body, waiting, () => context.newId('message'))
    if (resumed === undefined) waiting?.cancel()
    const run = resumed ?? startRun(body, { agent, caller, context })
    if (isFailure(run)) return errorResponse(run)
    const { runId, messageId } = run
    const stream = streams.open(streamKey(caller, id))
    const send = (chunks: readonly ChatChunk[]): void => {
      for (const chunk of chunks) stream.push(sseBlock(chunk))
    }
    const done = (): void => {
      stream.push(sseBlock('[DONE]'))
      stream.end()
    }
    const events = stream.read(req.raw)
    if (events === undefined) throw new Error('The start of the answer is not in memory.')
    send([{ type: 'start', messageId, messageMetadata: { runId, agent: agent.name } }])
    run.watch(watcherOf(run, { send, done, hold: () => heldRuns.put(key, run) }), stream)
    const headers = { ...STREAM_HEADERS, 'troupe-run-id': runId }
    return eventStream(events, { clock: context.clock, caller, headers })
  }
}

const STREAM_HEADERS = { 'x-vercel-ai-ui-message-stream': 'v1' }

/** Handles `GET /api/chat/:id/stream`, with which a client reconnects. */
function resumeChat({ clock }: HeadendContext, streams: ChatStreams): Handler {
  return ({ req, env: { caller } }) => {
    const stream = streams.find(streamKey(caller, req.param('id') ?? ''))
    const events = stream?.read(req.raw)
    return events === undefined
      ? new Response(undefined, { status: 204 })
      : eventStream(events, { clock, caller, headers: STREAM_HEADERS })
  }
}

function streamKey({ principal }: Pick<Caller, 'principal'>, chatId: string): string {
  return JSON.stringify([principal, chatId])
}

/** Creates a watcher that sends the chunks of a run to one request. */
function watcherOf(
  { runId, mapper }: ChatRun,
  { send, done, hold }: { send(chunks: readonly ChatChunk[]): void; done(): void; hold(): void },
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
      const report = answerOf(last)
      const messageMetadata = isFailure(last)
        ? { runId }
        : { runId, outcome: last.outcome, sessionId: last.sessionId, usage: last.usage }
      if (!isFailure(report)) {
        const finishReason = report.outcome === 'partial' ? 'length' : 'stop'
        send([...mapper.complete(report), { type: 'finish', finishReason, messageMetadata }])
      } else if (report.class === 'cancelled')
        send([...mapper.close(), { type: 'abort', reason: report.message }])
      else
        send([
          ...mapper.close(),
          errorChunk(report),
          { type: 'finish', finishReason: 'error', messageMetadata },
        ])
      done()
    },
  }
}

function errorChunk({ message, remediation }: Failure): ChatChunk {
  return { type: 'error', errorText: `${message} ${remediation}` }
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
