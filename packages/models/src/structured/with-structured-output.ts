import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { JsonObject, LanguageModel } from '@troupe/schema'
import { answerForm, type AnswerForm, type NamedModel } from './answer-form.ts'
import { providerSchema } from './provider-schema.ts'
import { generateFinalAnswer, streamFinalAnswer } from './final-tool.ts'

/** Key of the provider options by provider. */
const OPTIONS_OF: Readonly<Record<string, string>> = {
  openai: 'openai',
  'openai-compatible': 'openaiCompatible',
}

/**
 * Wraps a model to request structured output in the form it supports. Calls without a schema are not changed.
 */
export function withStructuredOutput(
  model: LanguageModel,
  named: NamedModel & { readonly form?: AnswerForm | undefined },
): LanguageModel {
  const formOf = (call: LanguageModelV4CallOptions, schema: JsonObject): AnswerForm =>
    named.form ?? answerForm(named, { schema, hasTools: (call.tools ?? []).length > 0 })
  return {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (call) => {
      const schema = schemaOf(call)
      if (schema === undefined) return model.doGenerate(call)
      if (formOf(call, schema) === 'tool') return generateFinalAnswer(model, call, schema)
      return model.doGenerate(withNativeFormat(call, { schema, provider: named.provider }))
    },
    doStream: (call) => {
      const schema = schemaOf(call)
      if (schema === undefined) return model.doStream(call)
      if (formOf(call, schema) === 'tool') return streamFinalAnswer(model, call, schema)
      return model.doStream(withNativeFormat(call, { schema, provider: named.provider }))
    },
  }
}

function schemaOf({ responseFormat }: LanguageModelV4CallOptions): JsonObject | undefined {
  if (responseFormat?.type !== 'json') return undefined
  return responseFormat.schema as JsonObject | undefined
}

function withNativeFormat(
  call: LanguageModelV4CallOptions,
  { schema: own, provider }: { readonly schema: JsonObject; readonly provider: string },
): LanguageModelV4CallOptions {
  const { schema, strict } = providerSchema(provider, own)
  const responseFormat = { ...call.responseFormat, type: 'json' as const, schema: schema as object }
  const key = Object.hasOwn(OPTIONS_OF, provider) ? OPTIONS_OF[provider] : undefined
  if (strict || key === undefined) return { ...call, responseFormat }
  const options = { ...call.providerOptions?.[key], strictJsonSchema: false }
  return { ...call, responseFormat, providerOptions: { ...call.providerOptions, [key]: options } }
}
