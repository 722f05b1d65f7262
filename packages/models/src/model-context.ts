import type { Clock, Reasoning } from '@troupe/schema'
import type { AnswerForm } from './structured/answer-form.ts'
import type { TransportTimeouts } from './transport/transport-timeouts.ts'

/** USD per million tokens, as a configuration says it. */
export interface ProviderPrice {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
}

/** What a configuration says of one model of a provider. */
export interface ModelConfig {
  /** The name that the provider is asked for; default: the key. */
  readonly name?: string
  /** A level, or a budget of so many tokens. */
  readonly reasoning?: Reasoning
  /** Tokens that a request and its answer may have together. Default: as is known of the model. */
  readonly contextWindow?: number
  /** How it gives answers of a schema. Default: as is known of the model. */
  readonly structured?: AnswerForm
}

/** One entry of `providers` in troupe.json, `${VAR}` already expanded. What it sets beats the variables of the provider. */
export interface ProviderConfig {
  readonly apiKey?: string
  /** With the version path. */
  readonly baseURL?: string
  readonly headers?: Readonly<Record<string, string>>
  /** OpenAI only: the API to speak. Default: `chat`, which every compatible server has. */
  readonly api?: 'chat' | 'responses'
  /** Calls in flight at once with one key; the rest wait in order. None: no limit. */
  readonly maxParallel?: number
  /** Requests in any minute with one key; the rest wait in order. None: no limit. */
  readonly requestsPerMinute?: number
  /** Tokens, in and out, in any minute with one key. None: no limit. */
  readonly tokensPerMinute?: number
  /** False: the server cannot stream; true: every answer is streamed. Default: where somebody sees it come, or it may take long. */
  readonly stream?: boolean
  /** How long the provider may be silent, in ms. Default: 10 s for the connection, 60 s before the first byte, 30 s after it. */
  readonly timeouts?: Partial<TransportTimeouts>
  /** False: nothing is said of what to cache; true: also at another address than the provider's own. */
  readonly promptCache?: boolean
  readonly models?: Readonly<Record<string, ModelConfig>>
  /** By model name. */
  readonly prices?: Readonly<Record<string, ProviderPrice>>
}

/** What `resolveModel` takes. Nothing is read from the process: pass `env: process.env` to use its variables. */
export interface ResolveModelOptions extends Partial<Omit<ModelContext, 'env'>> {
  /** Variables, or a function that returns the value of one. Default: none. */
  readonly env?: ModelContext['env'] | Readonly<Record<string, string | undefined>>
}

/** Everything a model is made from, besides its id: nothing is read from the process (C22, C43). */
export interface ModelContext {
  /** A variable of the session's overlay. */
  env(name: string): string | undefined
  /** The places the overlay was made of, for messages (C44). */
  readonly searched: readonly string[]
  readonly providers?: Readonly<Record<string, ProviderConfig>>
  /** Relative paths of scripts resolve against it. */
  readonly folder: string
  /** Scripts whose text is known, by absolute path. Others are read when the model is made. */
  readonly scripts?: ReadonlyMap<string, string>
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch
  /** Where a variable of the overlay was found, for messages: the path of a file, `override` or `process`. */
  origin?(name: string): string | undefined
  /** Default: the timers of the machine. */
  readonly clock?: Pick<Clock, 'after' | 'monotonic'>
}
