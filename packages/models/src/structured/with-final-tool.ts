import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider'
import type { JsonObject, LanguageModel } from '@troupe/schema'
import { answerStream } from './answer-stream.ts'
import { finalTool, type FinalTool } from './final-tool.ts'

/** Streams an answer that the model gives as arguments of the final tool. The stream contains it as text. */
export async function streamFinalAnswer(
  model: LanguageModel,
  call: LanguageModelV4CallOptions,
  schema: JsonObject,
): Promise<LanguageModelV4StreamResult> {
  const final = finalTool(schema, call.tools)
  const result = await model.doStream(withTool(call, final))
  return { ...result, stream: result.stream.pipeThrough(answerStream(final)) }
}

/**
 * Generates an answer that the model gives as arguments of the final tool. The result contains it as text.
 */
export async function generateFinalAnswer(
  model: LanguageModel,
  call: LanguageModelV4CallOptions,
  schema: JsonObject,
): Promise<LanguageModelV4GenerateResult> {
  const final = finalTool(schema, call.tools)
  const result = await model.doGenerate(withTool(call, final))
  return { ...result, content: withAnswerText(result.content, final) }
}

function withTool(call: LanguageModelV4CallOptions, { tool }: FinalTool): LanguageModelV4CallOptions {
  const { responseFormat: _, tools = [], ...rest } = call
  const mayCall = tools.length > 0 && call.toolChoice?.type !== 'none'
  return {
    ...rest,
    tools: [...tools, tool],
    toolChoice: mayCall || isReasoning(call) ? { type: 'auto' } : { type: 'tool', toolName: tool.name },
  }
}

/** Returns true if reasoning is on: not all providers can then force a tool call. */
function isReasoning({ reasoning, providerOptions = {} }: LanguageModelV4CallOptions): boolean {
  if (providerOptions['anthropic']?.['thinking'] !== undefined) return true
  return reasoning !== undefined && reasoning !== 'none' && reasoning !== 'provider-default'
}

function withAnswerText(
  content: readonly LanguageModelV4Content[],
  { tool, answerIn }: FinalTool,
): LanguageModelV4Content[] {
  const calls = content.filter((part) => part.type === 'tool-call')
  const final = calls.find(({ toolName }) => toolName === tool.name)
  const rest = content.filter((part) => part !== final)
  if (final === undefined || calls.length > 1) return rest
  return [...rest.filter(({ type }) => type !== 'text'), { type: 'text', text: answerIn(final.input) }]
}
