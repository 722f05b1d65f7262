import { APICallError } from '@ai-sdk/provider'
import { errorMessage, isJsonObject, type JsonObject } from '@troupe/schema'

/** What a provider said was wrong, whichever way it said it: a status, an error in the middle of a stream, an error under a status of 200. */
export interface ProviderComplaint {
  /** None: no answer came, or it was said in the middle of a stream without one. */
  readonly status: number | undefined
  /** `type`, `code` and `status` of the error object, whatever of them there is. */
  readonly words: string
  readonly message: string
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly body: string | undefined
}

/** The complaint in anything a provider's adapter threw or put into its stream; undefined: it is none, the answer itself is broken. */
export function providerComplaint(thrown: unknown): ProviderComplaint | undefined {
  if (APICallError.isInstance(thrown)) return ofStatus(thrown)
  if (thrown instanceof Error || !isJsonObject(thrown)) return undefined
  return ofObject(thrown)
}

function ofStatus(error: APICallError): ProviderComplaint | undefined {
  const { statusCode: status, responseHeaders: headers, responseBody: body } = error
  const said = errorIn(body)
  if (status === undefined || status >= 400)
    return { status, words: wordsOf(said ?? {}), message: error.message, headers, body }
  // an answer with a good status that cannot be read: it may be an error all the same
  return said === undefined ? undefined : { ...ofObject(said), headers, body }
}

/** Adapters give the error object of a stream as it came, with the status where they know what it would have been. */
function ofObject(error: JsonObject): ProviderComplaint {
  const { statusCode, message } = error
  return {
    status: typeof statusCode === 'number' ? statusCode : numericCode(error),
    words: wordsOf(error),
    message: typeof message === 'string' ? message : JSON.stringify(error),
    headers: undefined,
    body: undefined,
  }
}

/** Google and OpenRouter repeat the status as `code`. */
function numericCode({ code }: JsonObject): number | undefined {
  return typeof code === 'number' && code >= 400 && code < 600 ? code : undefined
}

function wordsOf({ type, code, status, data }: JsonObject): string {
  const own = [type, code, status].filter((word) => typeof word === 'string')
  const nested = isJsonObject(data) ? wordsOf({ ...data, data: null }) : ''
  return [...own, nested].join(' ').trim()
}

/** The error object in a body: `{error: {...}}`, `{error: "text"}`, or `{type: "error", ...}`. */
function errorIn(body: string | undefined): JsonObject | undefined {
  try {
    const said: unknown = JSON.parse(body ?? '')
    if (!isJsonObject(said)) return undefined
    const { error } = said
    if (isJsonObject(error)) return error
    if (typeof error === 'string') return { message: error }
    return said['type'] === 'error' ? said : undefined
  } catch {
    // no JSON: the page of a proxy, or the answer itself cut short
    return undefined
  }
}

/** What is told of an error that is no complaint. */
export function describeError(thrown: unknown): string {
  if (thrown instanceof Error || !isJsonObject(thrown)) return errorMessage(thrown)
  return typeof thrown['message'] === 'string' ? thrown['message'] : JSON.stringify(thrown)
}
