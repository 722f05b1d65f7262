import type { Headend, HeadendContext } from '../headend/headend.ts'
import { routes } from '../headend/routes.ts'
import { postCommand } from '../headend/shell-quote.ts'
import { createHeldRuns } from '../human-input/held-runs.ts'
import { answerChat, type ChatRun } from './answer-chat.ts'
import { chatOperations } from './chat-operations.ts'

/**
 * Creates the headend for `useChat` of the AI SDK. It streams one UI message per run, with its tool calls as
 * parts and its child runs as data.
 */
export function createChatHeadend(context: HeadendContext): Headend {
  const held = createHeldRuns<ChatRun>()
  return {
    name: 'chat',
    ...routes({ '/api/chat': { POST: answerChat(context, held) } }, context),
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
    operations: chatOperations,
    drain: held.drain,
  }
}
