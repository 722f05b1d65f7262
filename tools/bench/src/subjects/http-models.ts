import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { resolveModel } from '@troupe/models'
import type { ModelHandle } from '@troupe/schema'
import type { HttpSubject, ModelAddress } from '../measures/http.ts'
import type { Subject } from './subject.ts'

/** A subject whose model is reached over a socket. */
export function httpSubject<Model>(
  subject: Pick<Subject<Model>, 'loop' | 'stream'>,
  open: (at: ModelAddress) => Model | Promise<Model>,
): HttpSubject {
  return {
    loop: async (at, turns) => subject.loop({ model: await open(at), turns }),
    stream: async (at, onToken) => subject.stream({ model: await open(at), onToken }),
  }
}

/** A model as our configuration makes it: with timeouts, limits on what comes, and what else stands between loop and provider. */
export function ownHttpModel(
  { baseURL, name }: ModelAddress,
  config: { readonly stream?: boolean } = {},
): Promise<ModelHandle> {
  return resolveModel(`openai-compatible/${name}`, {
    env: () => undefined,
    searched: [],
    providers: { 'openai-compatible': { baseURL, ...config } },
    folder: '/',
  })
}

/** The adapter of the provider itself. */
export function plainHttpModel({ baseURL, name }: ModelAddress): LanguageModelV4 {
  return createOpenAICompatible({ name: 'openai-compatible', baseURL, includeUsage: true }).chatModel(name)
}
