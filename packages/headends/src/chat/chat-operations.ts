import type { OperationTable } from '../headend/headend.ts'
import { operation, RUN_ERRORS } from '../openapi/operation.ts'
import { chatRequest } from './chat-request.ts'

/** Returns the OpenAPI operation of the AI SDK chat transport. */
export function chatOperations(): OperationTable {
  return {
    '/api/chat': {
      post: operation({
        id: 'chat',
        summary: 'Runs an agent for the chat transport of the AI SDK',
        tag: 'AI SDK',
        body: chatRequest,
        answers: { 200: { description: 'A UI message stream', content: { 'text/event-stream': 'text' } } },
        errors: RUN_ERRORS,
      }),
    },
  }
}
