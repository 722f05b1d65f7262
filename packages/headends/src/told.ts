import { toFailure } from '@troupe/schema'
import { errorResponse } from './error-response.ts'
import type { Handler } from './handler.ts'

/** The same handler; what is refused below it is an answer, not an accident. */
export function told(handler: Handler): Handler {
  return async (call) => {
    try {
      return await handler(call)
    } catch (thrown) {
      return errorResponse(toFailure(thrown))
    }
  }
}
