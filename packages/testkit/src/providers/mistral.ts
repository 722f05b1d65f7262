import type { JsonObject } from '@troupe/schema'
import type { FakeProvider, FakeProviderOptions } from './fake-provider.ts'
import { startFakeServer } from './fake-server.ts'
import { chatReply, checkChatRequest } from './openai-chat.ts'
import { openAIApi } from './openai.ts'
import {
  badRequest,
  objects,
  textOf,
  type FakeExchange,
  type ProviderApi,
  type Refusal,
} from './provider-api.ts'

/** Fields that Mistral's API has and OpenAI's does not. */
const OWN_FIELDS = ['safe_prompt', 'random_seed', 'document_image_limit', 'document_page_limit']

const MISTRAL_CHAT = { check: checkRequest, reply: (exchange: FakeExchange) => chatReply(exchange, 'usage') }

/**
 * Starts a fake of Mistral's API: `POST /v1/chat/completions`, with and without streaming. Like the real API,
 * it rejects a user message right after tool results.
 */
export function startFakeMistral(options: FakeProviderOptions): Promise<FakeProvider> {
  const { extraFields = [] } = options
  const providerApi: ProviderApi = {
    ...openAIApi,
    route: (path) => (path === '/chat/completions' ? MISTRAL_CHAT : undefined),
    errorBody: ({ message, code }) => ({
      object: 'error',
      message,
      type: 'invalid_request_error',
      param: null,
      code: code ?? null,
    }),
  }
  return startFakeServer(providerApi, { ...options, extraFields: [...extraFields, ...OWN_FIELDS] })
}

function checkRequest(body: JsonObject, options: FakeProviderOptions): Refusal | undefined {
  return checkChatRequest(body, options) ?? checkOrder(objects(body['messages']))
}

function checkOrder(messages: readonly JsonObject[]): Refusal | undefined {
  const index = messages.findIndex(
    ({ role }, at) => messages[at - 1]?.['role'] === 'tool' && role !== 'tool' && role !== 'assistant',
  )
  if (index === -1) return undefined
  return badRequest(`Unexpected role '${textOf(messages[index]?.['role'])}' after role 'tool'`, {
    code: '3230',
  })
}
