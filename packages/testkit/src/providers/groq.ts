import type { FakeProvider, FakeProviderOptions } from './fake-provider.ts'
import { startFakeServer } from './fake-server.ts'
import { chatReply, checkChatRequest } from './openai-chat.ts'
import { openAIApi } from './openai.ts'
import { objects, type FakeExchange, type ProviderApi, type ProviderRoute } from './provider-api.ts'

const GROQ_CHAT: ProviderRoute = {
  // checks all tools but its own, which has no function
  check: (body, options) => {
    const tools = objects(body['tools']).filter(({ type }) => type !== 'browser_search')
    return checkChatRequest(body['tools'] === undefined ? body : { ...body, tools }, options)
  },
  reply: (exchange: FakeExchange) => chatReply(exchange, 'x_groq'),
}

const providerApi: ProviderApi = {
  ...openAIApi,
  route: (path) => (path === '/chat/completions' ? GROQ_CHAT : undefined),
}

/** Starts a fake of Groq's API: that of OpenAI, but streams report usage in `x_groq`, without a request for it. */
export function startFakeGroq(options: FakeProviderOptions): Promise<FakeProvider> {
  const { extraFields = [] } = options
  return startFakeServer(providerApi, { ...options, extraFields: [...extraFields, 'reasoning_format'] })
}
