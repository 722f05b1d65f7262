import { usageOf, type FakeProvider, type FakeProviderOptions } from './fake-provider.ts'
import { startFakeServer } from './fake-server.ts'
import { chatReply, checkChatRequest, openAIUsage } from './openai-chat.ts'
import { openAIApi } from './openai.ts'
import type { FakeExchange, ProviderApi } from './provider-api.ts'

const DEEPSEEK_CHAT = {
  check: checkChatRequest,
  reply: (exchange: FakeExchange) => chatReply(exchange, 'if-requested', usage),
}

const providerApi: ProviderApi = {
  ...openAIApi,
  route: (path) => (path === '/chat/completions' ? DEEPSEEK_CHAT : undefined),
}

/** Starts a fake of DeepSeek's API: that of OpenAI, with `thinking` and with cached tokens in fields of its own. */
export function startFakeDeepSeek(options: FakeProviderOptions): Promise<FakeProvider> {
  const { extraFields = [] } = options
  return startFakeServer(providerApi, { ...options, extraFields: [...extraFields, 'thinking'] })
}

function usage(exchange: FakeExchange): object {
  const { input, cacheRead } = usageOf(exchange.answer, exchange.body['messages'])
  return {
    ...openAIUsage(exchange),
    prompt_cache_hit_tokens: cacheRead,
    prompt_cache_miss_tokens: input - cacheRead,
  }
}
