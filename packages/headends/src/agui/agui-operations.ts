import type { OperationTable } from '../headend/headend.ts'
import { operation, RUN_ERRORS } from '../openapi/operation.ts'
import { aguiRequest } from './agui-request.ts'

/** Returns the OpenAPI operation of AG-UI. */
export function aguiOperations(): OperationTable {
  return {
    '/agui/{agent}': {
      post: operation({
        id: 'runAgui',
        summary: 'Runs an agent for a client of AG-UI',
        tag: 'AG-UI',
        path: ['agent'],
        body: aguiRequest,
        answers: { 200: { description: 'The events of AG-UI', content: { 'text/event-stream': 'text' } } },
        errors: RUN_ERRORS,
      }),
    },
  }
}
