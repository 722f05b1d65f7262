import { APICallError } from '@ai-sdk/provider'
import { isJsonObject, type LanguageModel } from '@troupe/schema'

/**
 * Adds the messages of Ollama's errors (`{error: text}`). Its adapter does not read them and would report
 * "Not Found".
 */
export function withOllamaErrors(model: LanguageModel): LanguageModel {
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
