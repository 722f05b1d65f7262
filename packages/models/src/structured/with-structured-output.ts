import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FunctionTool,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider'
import { type JsonObject, type LanguageModel, isJsonObject, type Json } from '@troupe/schema'
import { answerForm, type AnswerForm, type NamedModel, isPlainObject, providerSchema } from './answer-form.ts'

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

/** Streams an answer that the model gives as arguments of the final tool. The stream contains it as text. */
async function streamFinalAnswer(
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
async function generateFinalAnswer(
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

/**
 * Converts the call of the final tool to text. Other text is held until the end and dropped if there is a
 * final answer. A final answer next to other calls is dropped, because it cannot use their results.
 */
function answerStream({
  tool,
  answerIn,
}: FinalTool): TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart> {
  const text: LanguageModelV4StreamPart[] = []
  const inputs = new Set<string>()
  let answer: string | undefined
  let hasCalls = false
  return new TransformStream({
    transform(part, controller) {
      if (part.type === 'text-start' || part.type === 'text-delta' || part.type === 'text-end')
        text.push(part)
      else if (part.type === 'tool-input-start' && part.toolName === tool.name) inputs.add(part.id)
      else if (isInputOf(part, inputs)) return
      else if (part.type === 'tool-call' && part.toolName === tool.name) answer = answerIn(part.input)
      else if (part.type === 'finish') {
        const isAnswered = answer !== undefined && !hasCalls
        for (const said of isAnswered ? asText(answer ?? '') : text) controller.enqueue(said)
        const { raw } = part.finishReason
        const isStop = isAnswered && part.finishReason.unified === 'tool-calls'
        controller.enqueue(isStop ? { ...part, finishReason: { unified: 'stop', raw } } : part)
      } else {
        if (part.type === 'tool-call') hasCalls = true
        controller.enqueue(part)
      }
    },
  })
}

function isInputOf(part: LanguageModelV4StreamPart, inputs: ReadonlySet<string>): boolean {
  return (part.type === 'tool-input-delta' || part.type === 'tool-input-end') && inputs.has(part.id)
}

function asText(text: string): readonly LanguageModelV4StreamPart[] {
  const id = 'final-answer'
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: text },
    { type: 'text-end', id },
  ]
}

/** The tool whose arguments are the answer. */
interface FinalTool {
  readonly tool: LanguageModelV4FunctionTool
  /** Returns the answer from the JSON text of the arguments. */
  answerIn(input: string): string
}

const NAME = 'final_answer'

/**
 * Creates the final tool for a schema. Wraps schemas that are not objects, because tool arguments must be
 * objects.
 */
function finalTool(schema: JsonObject, tools: LanguageModelV4CallOptions['tools'] = []): FinalTool {
  const isWrapped = !isPlainObject(schema)
  return {
    tool: {
      type: 'function',
      name: freeName(new Set(tools.map(({ name }) => name))),
      description:
        'Submits the final answer and ends the task. Call it once, on its own, when all other work is done.',
      inputSchema: isWrapped ? wrapSchema(schema) : schema,
    },
    answerIn: (input) => (isWrapped ? unwrapAnswer(input) : input),
  }
}

function freeName(taken: ReadonlySet<string>): string {
  if (!taken.has(NAME)) return NAME
  let number = 2
  while (taken.has(`${NAME}_${number}`)) number += 1
  return `${NAME}_${number}`
}

/** Wraps a schema in an object. Definitions stay at the root, where references point to. */
function wrapSchema(schema: JsonObject): JsonObject {
  const { $schema: _, $defs, definitions, ...value } = schema
  return {
    type: 'object',
    properties: { value },
    required: ['value'],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  }
}

function unwrapAnswer(input: string): string {
  try {
    const args = JSON.parse(input) as Json
    return isJsonObject(args) && 'value' in args ? JSON.stringify(args['value']) : input
  } catch {
    // truncated arguments: the answer is invalid too and is requested again
    return input
  }
}
