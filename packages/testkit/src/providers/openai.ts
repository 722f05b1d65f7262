import { startFakeServer } from './fake-server.ts'
import { badRequest, formatServerSentEvent, type ProviderApi, type Refusal } from './provider-api.ts'
import type { FakeProvider, FakeProviderOptions, RecordedRequest } from './fake-provider.ts'
import { checkChatRequest, chatReply } from './openai-chat.ts'
import { checkEmbeddingsRequest, embeddingsReply } from './openai-embeddings.ts'
import { checkResponsesRequest, responsesReply } from './openai-responses.ts'

/** The API of OpenAI. */
export const openAIApi: ProviderApi = {
  basePath: '/v1',
  overflow: (tokens, window) =>
    badRequest(
      `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
      { code: 'context_length_exceeded', param: 'messages' },
    ),
  authorise,
  route(path) {
    if (path === '/chat/completions') return { check: checkChatRequest, reply: chatReply }
    if (path === '/responses') return { check: checkResponsesRequest, reply: responsesReply }
    if (path === '/embeddings') return { check: checkEmbeddingsRequest, reply: embeddingsReply }
    return undefined
  },
  errorBody,
  streamError: (refusal, path) =>
    path === '/responses'
      ? formatServerSentEvent({ ...errorBody(refusal).error, type: 'error', sequence_number: 0 }, 'error')
      : formatServerSentEvent(errorBody(refusal)),
}

function errorBody({ status, message, code, param }: Refusal): { readonly error: object } {
  return { error: { message, type: errorType(status, code), param: param ?? null, code: code ?? null } }
}

/**
 * Starts a fake of OpenAI's API: `POST /v1/chat/completions` and `POST /v1/responses`, with and without
 * streaming, and `POST /v1/embeddings`. Rejects requests that the real API rejects: unknown fields, tool calls without results, invalid
 * tool names and schemas.
 */
export function startFakeOpenAI(options: FakeProviderOptions): Promise<FakeProvider> {
  return startFakeServer(openAIApi, options)
}

function authorise(request: RecordedRequest, options: FakeProviderOptions): Refusal | undefined {
  const key = /^Bearer (?<key>\S+)$/u.exec(request.headers['authorization'] ?? '')?.groups?.['key']
  if (key === undefined) {
    return {
      status: 401,
      message:
        "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
    }
  }
  if (options.apiKey === undefined || key === options.apiKey) return undefined
  const hidden = `${key.slice(0, 3)}***${key.slice(-2)}`
  return { status: 401, message: `Incorrect API key provided: ${hidden}.`, code: 'invalid_api_key' }
}

function errorType(status: number, code: string | undefined): string {
  if (code === 'insufficient_quota') return code
  if (status === 429) return 'rate_limit_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}
