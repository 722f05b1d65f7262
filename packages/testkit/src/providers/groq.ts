import type { FakeProvider, FakeProviderOptions } from './fake-provider.ts'
import { startFakeServer } from './fake-server.ts'
import { chatReply, checkChatRequest } from './openai-chat.ts'
import { openAIApi } from './openai.ts'
import type { FakeExchange, ProviderApi } from './provider-api.ts'

const GROQ_CHAT = {
  check: checkChatRequest,
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
