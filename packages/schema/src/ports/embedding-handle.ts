import type { EmbeddingModelV4 } from '@ai-sdk/provider'
import type { Usage } from '../values/usage.ts'
import type { ModelHandle } from './model-handle.ts'

/** A model that converts texts to vectors, as version 4 of the AI SDK's provider specification. */
export type EmbeddingModel = EmbeddingModelV4

/** A configured embedding model, with the limits of its provider. */
export interface EmbeddingHandle extends Pick<
  ModelHandle,
  | 'id'
  | 'provider'
  | 'limiterKey'
  | 'maxConcurrentCalls'
  | 'rateLimits'
  | 'endpoint'
  | 'price'
  | 'credential'
  | 'hide'
> {
  readonly model: EmbeddingModel
}

/** The vectors of texts, in their order. */
export interface Embeddings {
  readonly vectors: readonly (readonly number[])[]
  readonly usage: Usage
}
