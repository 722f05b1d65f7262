import { APICallError, type LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { isJsonObject, type LanguageModel } from '@troupe/schema'
import type { EmbeddingModel } from '@troupe/schema/ports'
import { createOllama, type OllamaProvider } from 'ollama-ai-provider-v2'
import type { ProviderConnection } from './provider-table.ts'
import { withCallOptions } from '../call-options/with-call-options.ts'

/** Creates a model of Ollama, which needs no key. A configured key is sent as a bearer token, for a proxy. */
export function createModel(name: string, connection: ProviderConnection): LanguageModel {
  return withCallOptions(withOllamaErrors(connect(connection).chat(name)), withOllamaOptions)
}

/** Creates an embedding model of Ollama. */
export function createEmbeddingModel(name: string, connection: ProviderConnection): EmbeddingModel {
  return connect(connection).embedding(name)
}

function connect({ apiKey, baseURL, headers, fetch }: ProviderConnection): OllamaProvider {
  return createOllama({
    baseURL,
    headers: { ...(apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }), ...headers },
    ...(fetch === undefined ? {} : { fetch }),
  })
}

/**
 * Moves settings to `options`, the only place where Ollama reads them. Its adapter writes them at the top
 * level.
 */
function withOllamaOptions(call: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const settings = {
    num_predict: call.maxOutputTokens,
    temperature: call.temperature,
    top_p: call.topP,
    top_k: call.topK,
    seed: call.seed,
    stop: call.stopSequences,
  }
  const given = Object.entries(settings).filter(([, value]) => value !== undefined)
  if (given.length === 0) return call
  const own = call.providerOptions?.['ollama'] ?? {}
  const options = { ...Object.fromEntries(given), ...asObject(own['options']) }
  return { ...call, providerOptions: { ...call.providerOptions, ollama: { ...own, options } } }
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}

/**
 * Adds the messages of Ollama's errors (`{error: text}`). Its adapter does not read them and would report
 * "Not Found".
 */
function withOllamaErrors(model: LanguageModel): LanguageModel {
  return {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => withReadableErrors(model.doGenerate(options)),
    doStream: (options) => withReadableErrors(model.doStream(options)),
  }
}

async function withReadableErrors<T>(call: PromiseLike<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw APICallError.isInstance(error) ? withMessage(error) : error
  }
}

function withMessage(error: APICallError): APICallError {
  const message = messageIn(error.responseBody)
  if (message === undefined) return error
  const { url, requestBodyValues, statusCode, responseHeaders, responseBody, isRetryable } = error
  return new APICallError({
    message,
    url,
    requestBodyValues,
    isRetryable,
    cause: error,
    ...(statusCode === undefined ? {} : { statusCode }),
    ...(responseHeaders === undefined ? {} : { responseHeaders }),
    ...(responseBody === undefined ? {} : { responseBody }),
  })
}

function messageIn(body: string | undefined): string | undefined {
  try {
    const value: unknown = JSON.parse(body ?? '')
    const said = isJsonObject(value) ? value['error'] : undefined
    return typeof said === 'string' ? said : undefined
  } catch {
    // the response is not from Ollama, perhaps from a proxy: keep the original error
    return undefined
  }
}
