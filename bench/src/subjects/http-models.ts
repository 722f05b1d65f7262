import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { resolveModel } from '@troupe/models'

/** A model as our configuration makes it: with timeouts, limits on what comes, and what else stands between loop and provider. */
export async function ownHttpModel(
  baseURL: string,
  name: string,
  { stream }: { readonly stream: boolean } = { stream: true },
): Promise<LanguageModelV4> {
  const handle = await resolveModel(`openai-compatible/${name}`, {
    env: () => undefined,
    searched: [],
    providers: { 'openai-compatible': { baseURL, stream } },
    folder: '/',
  })
  return handle.open({ agent: 'root', runId: 'bench' })
}

/** The adapter of the provider itself. */
export function plainHttpModel(baseURL: string, name: string): LanguageModelV4 {
  return createOpenAICompatible({ name: 'openai-compatible', baseURL, includeUsage: true }).chatModel(name)
}
