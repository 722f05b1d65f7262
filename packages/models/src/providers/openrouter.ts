import { createOpenRouter } from '@openrouter/ai-sdk-provider'
import { isJsonObject, type LanguageModel } from '@troupe/schema'
import { isJsonText } from '@troupe/schema/json'
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { ProviderConnection } from './provider-table.ts'
import { withToolProperties } from './tool-properties.ts'

/**
 * Creates a model of OpenRouter. Uses strict mode, because the adapter requests usage of streams only there.
 */
export function createModel(name: string, connection: ProviderConnection): LanguageModel {
  const { apiKey, baseURL, headers, fetch } = connection
  const provider = createOpenRouter({
    apiKey,
    baseURL,
    headers,
    compatibility: 'strict',
    ...(fetch === undefined ? {} : { fetch }),
  })
  return withToolProperties(withSentArguments(provider.chat(name)))
}

type OpenRouterPart = LanguageModelV4StreamPart

/**
 * Restores tool call arguments as OpenRouter sent them. Its adapter replaces arguments that are not valid
 * JSON, such as truncated ones, with `{}`, so that a tool would run without the arguments of the model.
 */
function withSentArguments(model: LanguageModel): LanguageModel {
  return {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => model.doGenerate(options),
    doStream: async (options) => {
      const result = await model.doStream({ ...options, includeRawChunks: true })
      const showRaw = options.includeRawChunks === true
      return { ...result, stream: result.stream.pipeThrough(restoreArguments(showRaw)) }
    },
  }
}

interface SentCall {
  id: string | undefined
  text: string
}

function restoreArguments(showRaw: boolean): TransformStream<OpenRouterPart, OpenRouterPart> {
  const sent: SentCall[] = []
  return new TransformStream({
    transform(part, controller) {
      if (part.type === 'raw') {
        addArguments(sent, part.rawValue)
        if (showRaw) controller.enqueue(part)
      } else controller.enqueue(part.type === 'tool-call' ? restoreCall(part, sent) : part)
    },
  })
}

/** Collects the tool call arguments in a chunk of the stream. */
function addArguments(sent: SentCall[], chunk: unknown): void {
  const [choice] = listIn(chunk, 'choices')
  const delta = isJsonObject(choice) ? choice['delta'] : undefined
  for (const call of listIn(delta, 'tool_calls')) {
    if (!isJsonObject(call)) continue
    const { index, id, function: called } = call
    const at = typeof index === 'number' ? index : Math.max(0, sent.length - 1)
    const known = (sent[at] ??= { id: undefined, text: '' })
    if (typeof id === 'string') known.id ??= id
    const text = isJsonObject(called) ? called['arguments'] : undefined
    if (typeof text === 'string') known.text += text
  }
}

function restoreCall(
  part: Extract<OpenRouterPart, { type: 'tool-call' }>,
  sent: readonly (SentCall | undefined)[],
): Extract<OpenRouterPart, { type: 'tool-call' }> {
  const call =
    sent.find((each) => each?.id === part.toolCallId) ??
    // the adapter generates an id for a call without one
    sent.find((each) => each !== undefined && each.id === undefined && !isJsonText(each.text))
  if (call === undefined || call.text.trim() === '' || isJsonText(call.text)) return part
  return { ...part, input: call.text }
}

function listIn(value: unknown, key: string): readonly unknown[] {
  const list = isJsonObject(value) ? value[key] : undefined
  return Array.isArray(list) ? list : []
}
