import type { Clock, JsonObject, Reasoning } from '@troupe/schema'
import type { ApiName } from '../protocols/protocol-names.ts'
import type { AnswerForm } from '../structured/answer-form.ts'
import type { TransportTimeouts } from '../transport/timeout-watch.ts'

/** Prices in USD per million tokens. */
export interface ProviderPrice {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
}

/** Configuration of one model of a provider. */
export interface ModelConfig {
  /** Model name sent to the provider. Default: the key of this entry. */
  readonly name?: string
  /** A level, or a token budget. */
  readonly reasoning?: Reasoning
  /** Token limit for a request and its answer together. Default: the documented limit of the model. */
  readonly contextWindow?: number
  /** Method for structured output. Default: depends on the model. */
  readonly structured?: AnswerForm
}

/**
 * One entry of `providers` in troupe.json, with `${VAR}` expanded. Takes precedence over the provider's
 * variables.
 */
export interface ProviderConfig {
  readonly apiKey?: string
  /** Base URL including the version path. */
  readonly baseURL?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Members that are added to the body of every request, over those of Troupe. */
  readonly body?: JsonObject
  /** API to use, for providers that have several. Default: `chat`, which every compatible server supports. */
  readonly api?: ApiName
  /** npm package with an AI SDK provider, which creates the models. */
  readonly package?: string
  /** Export of the package that creates the provider. Default: the first that is named `create…`. */
  readonly factory?: string
  /** Options for the factory, in addition to key, base URL, headers, name and `fetch`. */
  readonly options?: JsonObject
  /**
   * `default` to use the default credentials of the machine instead of a key: those of Azure, AWS or Google.
   * They are read from the environment of the process, from files and from metadata services.
   */
  readonly credentials?: 'default'
  /** Maximum number of concurrent calls per key. Further calls wait in order. Default: no limit. */
  readonly maxParallel?: number
  /** Maximum number of requests per minute and key. Further calls wait in order. Default: no limit. */
  readonly requestsPerMinute?: number
  /** Maximum number of input and output tokens per minute and key. Default: no limit. */
  readonly tokensPerMinute?: number
  /**
   * False if the server cannot stream, true to stream every answer. Default: stream if the answer has
   * listeners or the model reasons.
   */
  readonly stream?: boolean
  /**
   * Timeouts of the provider, in ms. Default: 10 s to connect, 60 s to the first byte, 30 s between chunks.
   */
  readonly timeouts?: Partial<TransportTimeouts>
  /** False to send no cache hints, true to send them even if the base URL is not the provider's own. */
  readonly promptCache?: boolean
  /** Models by the name that cards use; `*` stands for all others. */
  readonly models?: Readonly<Record<string, ModelConfig>>
  /** Prices by model name. */
  readonly prices?: Readonly<Record<string, ProviderPrice>>
}

/**
 * Options of `resolveModel`. Nothing is read from the process: pass `env: process.env` to use its variables.
 */
export interface ResolveModelOptions extends Partial<Omit<ModelContext, 'env'>> {
  /** Variables, or a function that returns the value of one. Default: none. */
  readonly env?: ModelContext['env'] | Readonly<Record<string, string | undefined>>
}

/** Everything that a model is created from, besides its id. */
export interface ModelContext {
  /** Returns a variable of the session's overlay. */
  env(name: string): string | undefined
  /** Sources of the overlay, for messages. */
  readonly searched: readonly string[]
  readonly providers?: Readonly<Record<string, ProviderConfig>>
  /** Base folder for relative script paths. */
  readonly folder: string
  /** Folder of the team, from which packages of providers are resolved. Default: `folder`. */
  readonly packageFolder?: string
  /** Texts of scripts by absolute path. Other scripts are read when the model is created. */
  readonly scripts?: ReadonlyMap<string, string>
  /** Replacement for the global `fetch`. */
  readonly fetch?: typeof fetch
  /**
   * Returns where a variable of the overlay comes from, for messages: a file path, `override` or `process`.
   */
  origin?(name: string): string | undefined
  /** Default: the system timers. */
  readonly clock?: Pick<Clock, 'after' | 'monotonic'>
}
