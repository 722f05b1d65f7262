import type { LanguageModelV4 } from '@ai-sdk/provider'
import { troupeError } from '../errors.ts'

/** Micro-USD per million tokens. */
export interface ModelPrice {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
}

/** A model ready to call. */
export interface ModelHandle {
  /** `provider/name` as configured. */
  readonly id: string
  readonly provider: string
  /** Shared by all calls with one provider and key. */
  readonly lane: string
  /** Model calls in this lane at once; none: no limit. */
  readonly laneSize?: number
  /** Requests and tokens of all calls of this lane in any minute; none: no limit. */
  readonly laneLimits?: { readonly requestsPerMinute?: number; readonly tokensPerMinute?: number }
  /** The provider at its address, whatever the key: what fails as a whole. Default: the lane. */
  readonly endpoint?: string
  readonly price?: ModelPrice
  /** Tokens that a request and its answer may have together; none: it is not known. */
  readonly contextWindow?: number
  /** The most tools the provider takes in one request. */
  readonly maxTools?: number
  /** The variable or setting that holds the key and where it was found, for messages: `OPENAI_API_KEY of /team/troupe.env`. Never the key. */
  readonly credential?: string
  /** The text without the key: providers repeat what they refuse. */
  hide?(text: string): string
  /**
   * Where an answer is asked for in one piece (`doGenerate`) and not as a stream: `always`, as the server cannot stream; `unwatched`, where nobody
   * sees it come and it is not known to take long. None: nowhere.
   */
  readonly whole?: 'always' | 'unwatched'
  /**
   * The model for one run. A provider's model is the same each time; a scripted one starts at its first step, or after the `calls` that
   * a run which is resumed has made.
   */
  open(run: { readonly agent: string; readonly runId: string; readonly calls?: number }): LanguageModelV4
}

/** A model in the provider contract that core drives. */
export type LanguageModel = LanguageModelV4

/**
 * Throws `model_unknown` for a model of an older version of the provider specification: its calls and its usage have other forms.
 */
export function requireModelVersion(model: LanguageModel): void {
  const { specificationVersion: version, provider, modelId }: { [K in keyof LanguageModel]?: unknown } = model
  if (version === 'v4') return
  throw troupeError(
    'model_unknown',
    `The model ${String(provider)}/${String(modelId)} has version ${String(version)} of the AI SDK's provider specification; v4 is needed.`,
    {
      fix: 'Update its provider package to a version that returns models of v4 (AI SDK 7), such as @ai-sdk/openai 4.',
    },
  )
}
