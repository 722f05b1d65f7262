import type { OperationTable } from '../headend/headend.ts'
import { operation, RUN_ERRORS, type AnswerParts } from '../openapi/operation.ts'
import { reportShape } from '../openapi/shapes.ts'
import { restBody, restQuery } from './rest-call.ts'

const ANSWER: AnswerParts = {
  description:
    'The answer in its own form; the report for who wants JSON; the events of the run for who wants a stream',
  content: {
    'text/plain': 'text',
    'text/markdown': 'text',
    'application/json': reportShape,
    'text/event-stream': 'text',
  },
}

/**
 * Returns the OpenAPI operations of REST. `application/json` describes the report, which is sent only to
 * clients that accept JSON.
 */
export function restOperations(): OperationTable {
  const shared = { tag: 'REST', path: ['agent'], answers: { 200: ANSWER }, errors: RUN_ERRORS }
  return {
    '/v1/{agent}': {
      get: operation({ id: 'askAgent', summary: 'Asks an agent', query: restQuery, ...shared }),
      post: operation({ id: 'callAgent', summary: 'Calls an agent', body: restBody, ...shared }),
    },
  }
}
