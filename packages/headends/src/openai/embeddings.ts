import { failure, type Failure } from '@troupe/schema'
import type { Embeddings } from '@troupe/schema/ports'
import { z } from 'zod'
import type { Handler } from '../headend/headend.ts'
import { readJson } from '../request/read-json.ts'
import { openAIError } from './openai-error.ts'

/** Converts texts to vectors for callers. */
export interface EmbeddingRunner {
  /** Ids of the models that callers may use, as `provider/name`. */
  readonly models: readonly string[]
  /** Rejects with the failure. */
  embed(
    request: { readonly model: string; readonly texts: readonly string[]; readonly dimensions?: number },
    caller: { readonly principal: string; readonly signal: AbortSignal },
  ): Promise<Embeddings>
}

/** The fields of `POST /openai/v1/embeddings` that are used. Other fields are accepted and ignored. */
interface EmbeddingsRequest {
  readonly model: string
  readonly input: string | readonly string[]
  readonly encoding_format?: 'float' | 'base64' | null | undefined
  readonly dimensions?: number | null | undefined
}

/** Maximum number of texts in a request. */
const MAX_TEXTS = 2048
/** Maximum characters of one text, more than any known model reads. */
const MAX_CHARACTERS = 262_144
/** Maximum length of a vector. */
const MAX_DIMENSIONS = 65_536

const text = z.string().min(1, 'is empty').max(MAX_CHARACTERS, `has more than ${MAX_CHARACTERS} characters`)

/** Schema of {@link EmbeddingsRequest}. */
export const embeddingsRequest: z.ZodType<EmbeddingsRequest> = z
  .looseObject({
    model: z.string().meta({ description: 'An id of `server.embeddings`, as `provider/name`.' }),
    input: z.union(
      [text, z.array(text).min(1, 'is empty').max(MAX_TEXTS, `has more than ${MAX_TEXTS} texts`)],
      {
        error: `must be a text, or a list of 1 to ${MAX_TEXTS} texts of 1 to ${MAX_CHARACTERS} characters`,
      },
    ),
    encoding_format: z.enum(['float', 'base64']).nullish(),
    dimensions: z.int().min(1).max(MAX_DIMENSIONS).nullish(),
  })
  .meta({ id: 'EmbeddingsRequest' })

/** Schema of the response. */
export const embeddingsShape: z.ZodType = z.object({
  object: z.literal('list'),
  model: z.string(),
  data: z.array(
    z.object({
      object: z.literal('embedding'),
      index: z.number().int(),
      embedding: z
        .union([z.array(z.number()), z.string()])
        .meta({ description: 'Numbers, or their little-endian 32-bit floats as base64.' }),
    }),
  ),
  usage: z.object({ prompt_tokens: z.number(), total_tokens: z.number() }),
})

/** Handles `POST /openai/v1/embeddings`. */
export function embeddingsHandler(runner: EmbeddingRunner): Handler {
  return async ({ req, env: { caller } }) => {
    const read = await readJson(req.raw, embeddingsRequest)
    if (!read.ok) return openAIError(read.reason)
    const { model, input, encoding_format: format, dimensions } = read.value
    if (!runner.models.includes(model)) return openAIError(modelUnknown(model, runner))
    const texts = typeof input === 'string' ? [input] : input
    const { vectors, usage } = await runner.embed(
      { model, texts, ...(typeof dimensions === 'number' ? { dimensions } : {}) },
      { principal: caller.principal, signal: req.raw.signal },
    )
    return Response.json({
      object: 'list',
      model,
      data: vectors.map((vector, index) => ({
        object: 'embedding',
        index,
        embedding: format === 'base64' ? toBase64(vector) : vector,
      })),
      usage: { prompt_tokens: usage.input, total_tokens: usage.input },
    })
  }
}

function modelUnknown(model: string, { models }: Pick<EmbeddingRunner, 'models'>): Failure {
  const quoted = JSON.stringify(model.slice(0, 200))
  const [first] = models
  return first === undefined
    ? failure('embedding_model_unknown', 'No embedding models are served.')
    : failure(
        'embedding_model_unknown',
        `The embedding model ${quoted} is not served. Served: ${models.join(', ')}.`,
      )
}

function toBase64(vector: readonly number[]): string {
  const bytes = new DataView(new ArrayBuffer(vector.length * 4))
  for (const [index, value] of vector.entries()) bytes.setFloat32(index * 4, value, true)
  return Buffer.from(bytes.buffer).toString('base64')
}
