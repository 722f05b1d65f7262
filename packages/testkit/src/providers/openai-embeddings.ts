import type { Json, JsonObject } from '@troupe/schema'
import { usageOf, type FakeProviderOptions } from './fake-provider.ts'
import {
  badRequest,
  textOf,
  unknownField,
  type FakeExchange,
  type Refusal,
  type Reply,
} from './provider-api.ts'

const FIELDS = new Set(['input', 'model', 'encoding_format', 'dimensions', 'user'])
const MAX_TEXTS = 2048
/** Length of a vector if the request does not set one. */
const DEFAULT_DIMENSIONS = 8

/** Validates a request like the Embeddings API. Returns `undefined` if it is valid. */
export function checkEmbeddingsRequest(body: JsonObject, options: FakeProviderOptions): Refusal | undefined {
  const unknown = unknownField(body, FIELDS, options)
  if (unknown !== undefined) return badRequest(`Unrecognized request argument supplied: ${unknown}`)
  const { model, encoding_format: format = 'float', dimensions } = body
  if (typeof model !== 'string' || model === '') return badRequest('you must provide a model parameter')
  const texts = textsOf(body['input'])
  if (
    texts.length === 0 ||
    texts.length > MAX_TEXTS ||
    texts.some((text) => typeof text !== 'string' || text === '')
  )
    return badRequest(
      "'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.",
    )
  if (format !== 'float' && format !== 'base64')
    return badRequest(`Invalid value: '${textOf(format)}'. Supported values are: 'float' and 'base64'.`, {
      param: 'encoding_format',
    })
  if (dimensions !== undefined && !model.startsWith('text-embedding-3'))
    return badRequest('This model does not support specifying dimensions.', { param: 'dimensions' })
  return undefined
}

/** Creates an Embeddings API response: the vectors of the answer, or ones that are derived from the texts. */
export function embeddingsReply({ body, answer }: FakeExchange): Reply {
  const { input, model, dimensions } = body
  const length = typeof dimensions === 'number' ? dimensions : DEFAULT_DIMENSIONS
  const vectors = answer.vectors ?? textsOf(input).map((text) => vectorOf(textOf(text), length))
  const used = usageOf(answer, input)
  return {
    json: {
      object: 'list',
      data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
      model,
      ...(answer.usage === 'none' ? {} : { usage: { prompt_tokens: used.input, total_tokens: used.input } }),
    },
  }
}

function textsOf(input: Json | undefined): readonly (Json | undefined)[] {
  return Array.isArray(input) ? input : [input]
}

/** Returns a vector of multiples of 1/256, which a 32-bit float holds exactly. */
function vectorOf(text: string, length: number): readonly number[] {
  return Array.from(
    { length },
    (_, index) => ((text.charCodeAt(index % text.length) * (index + 1)) % 256) / 256,
  )
}
