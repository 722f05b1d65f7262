import { errorResponse, isFailure } from '../headend/errors.ts'
import {
  type Caller,
  type Headend,
  type HeadendContext,
  type Handler,
  postCommand,
} from '../headend/headend.ts'
import { RUN_ERRORS } from '../routes/openapi.ts'
import { routes } from '../routes/routes.ts'
import { eventStream, sseBlock } from '../sse/event-stream.ts'
import { chatRequest } from './chat-request.ts'
import { createChatRuns, type ChatRuns } from './chat-runs.ts'
import { createChatStreams, type ChatStreams } from './chat-streams.ts'

/**
 * Creates the headend for `useChat` of the AI SDK. It streams one UI message per run, with its tool calls as
 * parts and its child runs as data.
 */
export function createChatHeadend(context: HeadendContext): Headend {
  const runs = createChatRuns(context)
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
            handler: answerChat(context, { runs, streams }),
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
    drain: runs.drain,
    close: async () => streams.close(),
  }
}

/** Handles `POST /api/chat`: answers the messages of a chat, or resumes a run that waited for a person. */
function answerChat(
  { clock }: Pick<HeadendContext, 'clock'>,
  { runs, streams }: { readonly runs: ChatRuns; readonly streams: ChatStreams },
): Handler {
  return async ({ req, env: { caller } }) => {
    const answer = await runs.answer(req.raw, caller)
    if (isFailure(answer)) return errorResponse(answer)
    const stream = streams.open(streamKey(caller, answer.chatId))
    const events = stream.read(req.raw)
    if (events === undefined) throw new Error('The start of the answer is not in memory.')
    const end = (): void => {
      stream.push(sseBlock('[DONE]'))
      stream.end()
    }
    answer.send({ chunk: (chunk) => stream.push(sseBlock(chunk)), end }, stream)
    const headers = { ...STREAM_HEADERS, 'troupe-run-id': answer.runId }
    return eventStream(events, { clock, caller, headers })
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
