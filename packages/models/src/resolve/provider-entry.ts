import { getOwn } from '@troupe/schema'
import type { ProviderConfig } from '../config/model-context.ts'
import { PROVIDERS, type ProviderEntry } from '../providers/provider-table.ts'

/** Built-in providers that others use by their `api`. */
const PROTOCOLS = { chat: 'openai-compatible', responses: 'openai', anthropic: 'anthropic' } as const

/**
 * Returns the facts about a provider: a built-in one, or one that the configuration defines by its base URL
 * and the `api` it has. `undefined` for an unknown name.
 */
export function providerEntry(
  name: string,
  providers: Readonly<Record<string, ProviderConfig>> = {},
): ProviderEntry | undefined {
  const builtIn = PROVIDERS.get(name)
  if (builtIn !== undefined) return builtIn
  const { baseURL, api = 'chat' } = getOwn(providers, name) ?? {}
  const like = PROVIDERS.get(PROTOCOLS[api])
  if (baseURL === undefined || like === undefined) return undefined
  return { protocol: like.protocol, needsKey: false, load: like.load }
}
