import {
  failure,
  type AgentDefinition,
  type Attachment,
  type EarlierCall,
  type Failure,
  type JsonObject,
} from '@troupe/schema'
import { z } from 'zod'
import type { RequestedTool, ToolRequest } from '../client-calls/client-tools.ts'
import {
  type ClientMessage,
  type ClientResult,
  fromDataUrl,
  parseArguments,
} from '../client-runs/client-conversation.ts'
import type { OutputOptions } from '../client-runs/resolve-output.ts'
import { jsonObject } from '../request/read-json.ts'

/** The fields of a message part that are used. */
interface ResponsePart {
  readonly type: string
  readonly text?: string | undefined
  readonly image_url?: string | null | undefined
  readonly file_data?: string | null | undefined
  readonly filename?: string | null | undefined
}

/** The fields of an input item that are used. */
interface ResponseItem {
  readonly type?: string | undefined
  readonly role?: string | undefined
  readonly content?: string | readonly ResponsePart[] | null | undefined
  readonly output?: string | readonly ResponsePart[] | null | undefined
  readonly call_id?: string | undefined
  /** Name of the called tool. */
  readonly name?: string | undefined
  readonly namespace?: string | null | undefined
  readonly arguments?: string | undefined
}

/** A tool. Only functions, alone or in a namespace, have a schema. */
interface ResponseTool {
  readonly type: string
  readonly name?: string | undefined
  readonly description?: string | null | undefined
  readonly parameters?: JsonObject | null | undefined
  readonly tools?: readonly ResponseTool[] | undefined
}

type ResponseChoice =
  | 'none'
  | 'auto'
  | 'required'
  | (Pick<ResponseTool, 'type' | 'name' | 'tools'> & {
      readonly namespace?: string | null | undefined
      readonly mode?: 'auto' | 'required' | undefined
    })

const part: z.ZodType<ResponsePart> = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  image_url: z.string().nullish(),
  file_data: z.string().nullish(),
  filename: z.string().nullish(),
})

const item: z.ZodType<ResponseItem> = z
  .looseObject({
    type: z.string().optional(),
    role: z.string().optional(),
    content: z.union([z.string(), z.array(part)]).nullish(),
    output: z.union([z.string(), z.array(part)]).nullish(),
    call_id: z.string().optional(),
    name: z.string().optional(),
    namespace: z.string().nullish(),
    arguments: z.string().optional(),
  })
  .meta({ id: 'ResponsesItem' })

const functionFields = {
  type: z.string(),
  name: z.string().optional(),
  description: z.string().nullish(),
  parameters: jsonObject.nullish(),
}
const functionTool: z.ZodType<ResponseTool> = z.looseObject(functionFields).meta({ id: 'ResponsesFunction' })
const tool: z.ZodType<ResponseTool> = z
  .looseObject({ ...functionFields, tools: z.array(functionTool).optional() })
  .meta({ id: 'ResponsesTool' })

/** The fields of `POST /openai/v1/responses` that are used. Other fields are accepted and ignored. */
export interface ResponsesRequest {
  readonly model: string
  readonly input: string | readonly ResponseItem[]
  readonly instructions?: string | null | undefined
  readonly previous_response_id?: string | null | undefined
  /** A conversation that the response is added to, or its id. */
  readonly conversation?: string | { readonly id: string } | null | undefined
  readonly stream?: boolean | null | undefined
  readonly store?: boolean | null | undefined
  /** True if the run continues without the client, which reads the response later. */
  readonly background?: boolean | null | undefined
  readonly reasoning?: { readonly summary?: string | null | undefined } | null | undefined
  readonly metadata?: Readonly<Record<string, string>> | null | undefined
  readonly text?: { readonly format?: TextFormat | null | undefined } | null | undefined
  readonly tools?: readonly ResponseTool[] | null | undefined
  readonly tool_choice?: ResponseChoice | null | undefined
  readonly parallel_tool_calls?: boolean | null | undefined
}

type TextFormat =
  | { readonly type: 'text' | 'json_object' }
  | { readonly type: 'json_schema'; readonly name: string; readonly schema: JsonObject }

const model = z.string().meta({ description: 'The name of an agent.' })
const input = z.union([z.string(), z.array(item)])
const toolFields = {
  tools: z.array(tool).nullish(),
  tool_choice: z
    .union([
      z.enum(['none', 'auto', 'required']),
      z.looseObject({
        type: z.string(),
        name: z.string().optional(),
        namespace: z.string().nullish(),
        mode: z.enum(['auto', 'required']).optional(),
        tools: z.array(tool).optional(),
      }),
    ])
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
}

/** Schema of {@link ResponsesRequest}. */
export const responsesRequest: z.ZodType<ResponsesRequest> = z
  .looseObject({
    model,
    input,
    instructions: z.string().nullish(),
    previous_response_id: z.string().nullish(),
    conversation: z.union([z.string(), z.looseObject({ id: z.string() })]).nullish(),
    stream: z.boolean().nullish(),
    store: z.boolean().nullish(),
    background: z.boolean().nullish(),
    reasoning: z.looseObject({ summary: z.string().nullish() }).nullish(),
    metadata: z.record(z.string(), z.string()).nullish(),
    text: z
      .looseObject({
        format: z
          .discriminatedUnion('type', [
            z.looseObject({ type: z.enum(['text', 'json_object']) }),
            z.looseObject({ type: z.literal('json_schema'), name: z.string(), schema: jsonObject }),
          ])
          .nullish(),
      })
      .nullish(),
    ...toolFields,
  })
  .refine(
    ({ conversation, previous_response_id: previous }) =>
      (conversation ?? undefined) === undefined || (previous ?? undefined) === undefined,
    {
      path: ['conversation'],
      error: 'cannot be combined with `previous_response_id`',
    },
  )
  .meta({ id: 'ResponsesRequest' })

/** Returns the id of the conversation that the response is added to. */
export function conversationOf({ conversation }: Pick<ResponsesRequest, 'conversation'>): string | undefined {
  return (typeof conversation === 'string' ? conversation : conversation?.id) ?? undefined
}

/** Converts a request to client messages. Items of other types are ignored. */
export function responsesMessages({
  input,
  instructions,
}: ResponsesRequest): readonly ClientMessage[] | Failure {
  const clientMessages: ClientMessage[] = instructions ? [{ role: 'system', text: instructions }] : []
  if (typeof input === 'string') return [...clientMessages, { role: 'user', text: input }]
  for (const item of input) {
    if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output') {
      const result = resultOf(item)
      if ('code' in result) return result
      clientMessages.push({ role: 'tool', text: textOf(item.output), result })
    }
    if (item.type === 'function_call')
      clientMessages.push({ role: 'assistant', text: '', calls: [callOf(item)] })
    const role = roleOf(item)
    if (role === undefined) continue
    const attachments = filesOf(item.content)
    if (!Array.isArray(attachments)) return attachments
    clientMessages.push({ role, text: textOf(item.content), attachments })
  }
  return clientMessages
}

/** Returns the output format that the client requests. */
export function responsesOutput(
  { text }: Pick<ResponsesRequest, 'text'>,
  { output }: Pick<AgentDefinition, 'output'>,
): OutputOptions {
  const format = text?.format
  if (format?.type === 'json_schema') return { format: 'json', schema: format.schema }
  return format?.type === 'json_object' ? { format: 'json', schema: output.schema ?? { type: 'object' } } : {}
}

/** Returns true if the client asks for a summary of the reasoning. */
export function wantsSummary({ reasoning }: Pick<ResponsesRequest, 'reasoning'>): boolean {
  return (reasoning?.summary ?? 'none') !== 'none'
}

/** The fields of `POST /openai/v1/responses/input_tokens` that are used. Other fields are accepted and ignored. */
interface InputTokensRequest extends Pick<
  ResponsesRequest,
  'model' | 'input' | 'instructions' | 'tools' | 'tool_choice' | 'parallel_tool_calls'
> {
  readonly previous_response_id?: null | undefined
  readonly conversation?: null | undefined
}

const WHOLE_CONVERSATION = 'not supported; send the whole conversation in `input`'

/** Schema of the body of `POST /openai/v1/responses/input_tokens`. */
export const inputTokensRequest: z.ZodType<InputTokensRequest> = z
  .looseObject({
    model,
    input,
    instructions: z.string().nullish(),
    previous_response_id: z.null({ error: WHOLE_CONVERSATION }).optional(),
    conversation: z.null({ error: WHOLE_CONVERSATION }).optional(),
    ...toolFields,
  })
  .meta({ id: 'InputTokensRequest' })

function callOf({ call_id: id = '', name = '', namespace, arguments: args = '' }: ResponseItem): EarlierCall {
  return { id, name: namespace ? `${namespace}__${name}` : name, args: parseArguments(args) }
}

/** Returns the result in an output item, or a failure if a file in it would have to be fetched. */
function resultOf({ call_id: callId = '', output }: ResponseItem): ClientResult | Failure {
  if (output === null || output === undefined || typeof output === 'string')
    return { callId, content: [{ type: 'text', text: output ?? '' }] }
  const files = filesOf(output)
  if ('code' in files) return files
  const text = textOf(output)
  return {
    callId,
    content: [
      ...(text === '' ? [] : [{ type: 'text', text }]),
      ...files.map(({ mediaType, data }) => ({ type: 'image', mimeType: mediaType, data })),
    ],
  }
}

/** Returns the tools of a request. Tools without a schema of arguments are ignored. */
export function responsesTools({
  tools,
  tool_choice: choice,
  parallel_tool_calls: parallel,
}: Pick<ResponsesRequest, 'tools' | 'tool_choice' | 'parallel_tool_calls'>): ToolRequest | Failure {
  const request = { tools: (tools ?? []).flatMap(toRequestedTools), parallel }
  if (choice === undefined || choice === null) return request
  if (typeof choice === 'string') return { ...request, choice }
  const { type, name, namespace, mode = 'auto' } = choice
  if (type === 'allowed_tools')
    return { ...request, choice: mode, allowed: (choice.tools ?? []).flatMap(({ name: one }) => one ?? []) }
  if (type === 'function' && name !== undefined)
    return { ...request, choice: { tool: namespace ? `${namespace}__${name}` : name } }
  return failure('request_invalid', `tool_choice: the type ${type.slice(0, 100)} is not supported.`)
}

function toRequestedTools({
  type,
  name,
  description,
  parameters,
  tools = [],
}: ResponseTool): readonly RequestedTool[] {
  if (name === undefined) return []
  if (type === 'function') return [{ name, description, schema: parameters }]
  if (type !== 'namespace') return []
  return tools.flatMap(toRequestedTools).map((tool) => ({ ...tool, namespace: name }))
}

function roleOf({ type = 'message', role }: ResponseItem): ClientMessage['role'] | undefined {
  if (type !== 'message') return undefined
  if (role === 'system' || role === 'developer') return 'system'
  return role === 'user' || role === 'assistant' ? role : undefined
}

function textOf(content: ResponseItem['content']): string {
  if (typeof content === 'string') return content
  return (content ?? []).map(({ text = '' }) => text).join('')
}

/** Returns the files in a message, or a failure if one would have to be fetched. */
function filesOf(content: ResponseItem['content']): Attachment[] | Failure {
  if (typeof content === 'string') return []
  const files: Attachment[] = []
  for (const { type, image_url: image, file_data: data, filename } of content ?? []) {
    if (type !== 'input_image' && type !== 'input_file') continue
    const file = fromDataUrl(image ?? data ?? '', filename ?? undefined)
    if (file === undefined)
      return failure(
        'request_invalid',
        'input: files must be sent as `data:` URLs.',
        'Send the content of the file.',
      )
    files.push(file)
  }
  return files
}
