import { toFailure } from '@troupe/schema'
import { errorResponse } from './error-response.ts'
import { failureFor } from './failure-for.ts'
import type { Handler } from './handler.ts'

/**
 * Wraps a handler so that thrown failures become error responses. A failure whose details the caller may not
 * see is thrown again, so that it is logged.
 */
export function withErrorResponse(handler: Handler): Handler {
  return async (call) => {
    try {
      return await handler(call)
    } catch (thrown) {
      const reason = toFailure(thrown)
      if (failureFor(call.env.caller, thrown) !== reason) throw thrown
      return errorResponse(reason)
    }
  }
}
