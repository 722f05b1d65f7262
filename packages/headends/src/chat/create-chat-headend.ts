import type { Headend, HeadendContext } from '../headend/headend.ts'
import { RUN_ERRORS } from '../routes/openapi.ts'
import { routes } from '../routes/routes.ts'
import { postCommand } from '../headend/shell-quote.ts'
import { createHeldRuns } from '../human-input/held-runs.ts'
import { answerChat, type ChatRun } from './answer-chat.ts'
import { chatRequest } from './chat-request.ts'

/**
 * Creates the headend for `useChat` of the AI SDK. It streams one UI message per run, with its tool calls as
 * parts and its child runs as data.
 */
export function createChatHeadend(context: HeadendContext): Headend {
  const held = createHeldRuns<ChatRun>()
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
            handler: answerChat(context, held),
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
    drain: held.drain,
  }
}
