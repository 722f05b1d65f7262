import type { LanguageModelV4 } from '@ai-sdk/provider'
import { troupeError } from '../errors/errors.ts'

/** Price in micro-USD per million tokens. */
export interface ModelPrice {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
}

/** A configured model. */
export interface ModelHandle {
  /** `provider/name` as configured. */
  readonly id: string
  readonly provider: string
  /** Key of the provider limiter, shared by all calls with the same provider and API key. */
  readonly limiterKey: string
  /** Maximum number of concurrent model calls with the same limiter key. Default: no limit. */
  readonly maxConcurrentCalls?: number
  /** Rate limits of all calls with the same limiter key. Default: no limit. */
  readonly rateLimits?: { readonly requestsPerMinute?: number; readonly tokensPerMinute?: number }
  /** Key of the circuit breaker: the provider and its URL, for any API key. Default: the limiter key. */
  readonly endpoint?: string
  readonly price?: ModelPrice
  /** Maximum number of tokens of a request and its answer together; `undefined` if not known. */
  readonly contextWindow?: number
  /** Maximum number of tools that the provider accepts in one request. */
  readonly maxTools?: number
  /**
   * Location of the API key for messages, never the key itself: the variable or setting and where it was
   * found, such as `OPENAI_API_KEY of /team/troupe.env`.
   */
  readonly credential?: string
  /** Removes the API key from text, because providers repeat rejected keys in their messages. */
  hide?(text: string): string
  /**
   * When to request the answer in one piece (`doGenerate`) instead of as a stream: `always` if the server
   * cannot stream, `unwatched` if there are no delta listeners and the answer is not expected to take long.
   * Default: always stream.
   */
  readonly whole?: 'always' | 'unwatched'
  /**
   * Returns the model for one run. A provider's model is always the same. A scripted model starts at its
   * first step or, in a resumed run, after the first `calls` calls.
   */
  open(run: { readonly agent: string; readonly runId: string; readonly calls?: number }): LanguageModelV4
}

/** A model that implements the provider specification used by core. */
export type LanguageModel = LanguageModelV4

/**
 * Throws `model_unknown` if a model implements another version of the provider specification, whose calls and
 * usage have a different format.
 */
export function requireModelVersion(model: LanguageModel): void {
  const { specificationVersion: version, provider, modelId }: { [K in keyof LanguageModel]?: unknown } = model
  if (version === 'v4') return
  throw troupeError(
    'model_unknown',
    `The model ${String(provider)}/${String(modelId)} has version ${String(version)} of the AI SDK's provider specification, but v4 is required.`,
    {
      fix: 'Update its provider package to one for AI SDK 7, such as @ai-sdk/openai 4, or convert the model with `fromAiModel` of @troupe/ai.',
    },
  )
}
