import { failure, type Attachment, type EarlierCall, type Failure, type JsonObject } from '@troupe/schema'
import { z } from 'zod'
import type { RequestedTool, ToolRequest } from '../client-calls/client-tools.ts'
import type { ClientMessage, ClientResult } from '../client-runs/client-conversation.ts'
import type { OutputOptions } from '../client-runs/resolve-output.ts'
import { jsonObject } from '../request/read-json.ts'

/** The fields of a content block that are used. Blocks of other types are ignored. */
interface AnthropicBlock {
  readonly type: string
  readonly text?: string | undefined
  readonly title?: string | null | undefined
  readonly content?: unknown
  /** Id of a call, with its name and arguments. */
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly input?: JsonObject | undefined
  /** Call that a result belongs to. */
  readonly tool_use_id?: string | undefined
  readonly is_error?: boolean | null | undefined
  readonly source?:
    | {
        readonly type: string
        readonly media_type?: string | undefined
        readonly data?: string | undefined
      }
    | undefined
}

interface AnthropicMessage {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: string | readonly AnthropicBlock[]
}

/** A tool. Tools that Anthropic executes have no schema. */
interface AnthropicTool {
  readonly name: string
  readonly description?: string | null | undefined
  readonly input_schema?: JsonObject | undefined
}

interface AnthropicChoice {
  readonly type: 'auto' | 'any' | 'tool' | 'none'
  readonly name?: string | undefined
  readonly disable_parallel_tool_use?: boolean | null | undefined
}

interface OutputFormat {
  readonly type: 'json_schema'
  readonly schema: JsonObject
}

/** The fields that requests for a message and for a token count share. */
interface CountRequest {
  readonly model: string
  readonly messages: readonly AnthropicMessage[]
  readonly system?: string | readonly AnthropicBlock[] | undefined
}

/** The fields of `POST /anthropic/v1/messages` that are used. Other fields are accepted and ignored. */
interface MessagesRequest extends CountRequest {
  readonly max_tokens: number
  readonly stream?: boolean | undefined
  readonly thinking?:
    | { readonly type: string; readonly display?: string | null | undefined }
    | null
    | undefined
  readonly output_config?: { readonly format?: OutputFormat | null | undefined } | null | undefined
  readonly tools?: readonly AnthropicTool[] | null | undefined
  readonly tool_choice?: AnthropicChoice | null | undefined
}

const block: z.ZodType<AnthropicBlock> = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  title: z.string().nullish(),
  content: z.unknown().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: jsonObject.optional().catch(undefined),
  tool_use_id: z.string().optional(),
  is_error: z.boolean().nullish(),
  source: z
    .looseObject({ type: z.string(), media_type: z.string().optional(), data: z.string().optional() })
    .optional(),
})

const countFields = {
  model: z.string().meta({ description: 'The name of an agent.' }),
  messages: z
    .array(
      z.looseObject({
        role: z.enum(['user', 'assistant', 'system']),
        content: z.union([z.string(), z.array(block)]),
      }),
    )
    .min(1),
  system: z.union([z.string(), z.array(block)]).optional(),
}

/** Schema of {@link CountRequest}. */
export const countRequest: z.ZodType<CountRequest> = z
  .looseObject(countFields)
  .meta({ id: 'CountTokensRequest' })

/** Schema of {@link MessagesRequest}. */
export const messagesRequest: z.ZodType<MessagesRequest> = z
  .looseObject({
    ...countFields,
    max_tokens: z
      .number()
      .int()
      .positive()
      .meta({ description: 'Required by the protocol. Agents have their own limits.' }),
    stream: z.boolean().optional(),
    thinking: z.looseObject({ type: z.string(), display: z.string().nullish() }).nullish(),
    output_config: z
      .looseObject({
        format: z.looseObject({ type: z.literal('json_schema'), schema: jsonObject }).nullish(),
      })
      .nullish(),
    tools: z
      .array(
        z.looseObject({
          name: z.string(),
          description: z.string().nullish(),
          input_schema: jsonObject.optional(),
        }),
      )
      .nullish(),
    tool_choice: z
      .looseObject({
        type: z.enum(['auto', 'any', 'tool', 'none']),
        name: z.string().optional(),
        disable_parallel_tool_use: z.boolean().nullish(),
      })
      .nullish(),
  })
  .meta({ id: 'MessagesRequest' })

/** Converts a request to client messages. The results of a message come before its text. */
export function anthropicMessages({ messages, system }: CountRequest): readonly ClientMessage[] | Failure {
  const clientMessages: ClientMessage[] = []
  if (system !== undefined) clientMessages.push({ role: 'system', text: textOf(system) })
  for (const { role, content } of messages) {
    const files = typeof content === 'string' ? [] : content.flatMap(fileOf)
    const unread = files.find((file) => 'code' in file)
    if (unread !== undefined) return unread
    const blocks = typeof content === 'string' ? [] : content
    for (const block of blocks)
      if (block.type === 'tool_result')
        clientMessages.push({ role: 'tool', text: resultText(block), result: resultOf(block) })
    const isOnlyResults = blocks.length > 0 && blocks.every(({ type }) => type === 'tool_result')
    if (isOnlyResults) continue
    clientMessages.push({
      role,
      text: typeof content === 'string' ? content : textOf(content.filter(({ type }) => type === 'text')),
      attachments: files as readonly Attachment[],
      calls: blocks.flatMap(toCall),
    })
  }
  return clientMessages
}

function toCall({ type, id, name, input = {} }: AnthropicBlock): readonly EarlierCall[] {
  return type === 'tool_use' && id !== undefined && name !== undefined ? [{ id, name, args: input }] : []
}

/** Returns the result in a block. Content that is neither text nor a picture in the request is left out. */
function resultOf(block: AnthropicBlock): ClientResult {
  const { tool_use_id: callId = '', content, is_error: isError } = block
  const blocks = Array.isArray(content) ? (content as readonly AnthropicBlock[]) : []
  const pictures = blocks.flatMap((part) =>
    part?.type === 'image' ? fileOf(part).flatMap((file) => ('data' in file ? file : [])) : [],
  )
  return {
    callId,
    content: [
      { type: 'text', text: resultText(block) },
      ...pictures.map(({ mediaType, data }) => ({ type: 'image', mimeType: mediaType, data })),
    ],
    ...(isError === true ? { isError } : {}),
  }
}

/** Returns the tools of a request. Tools without a schema are those that Anthropic executes; they are ignored. */
export function anthropicTools({
  tools,
  tool_choice: choice,
}: Pick<MessagesRequest, 'tools' | 'tool_choice'>): ToolRequest | Failure {
  const requested = (tools ?? []).flatMap(
    ({ name, description, input_schema: schema }): readonly RequestedTool[] =>
      schema === undefined ? [] : [{ name, description, schema }],
  )
  const { type = 'auto', name, disable_parallel_tool_use: isSerial } = choice ?? {}
  const request = { tools: requested, parallel: isSerial !== true }
  if (type === 'auto' || type === 'none') return { ...request, choice: type }
  if (type === 'any') return { ...request, choice: 'required' }
  if (name === undefined) return failure('request_invalid', 'tool_choice.name: the name is missing.')
  return { ...request, choice: { tool: name } }
}

/** Returns the output format that the client requests. */
export function anthropicOutput({
  output_config: config,
}: Pick<MessagesRequest, 'output_config'>): OutputOptions {
  const schema = config?.format?.schema
  return schema === undefined ? {} : { format: 'json', schema }
}

/** The thinking in the answer to a client. */
export interface ThinkingOptions {
  /** True if the blocks are sent without their text. */
  readonly isOmitted: boolean
}

/** Returns the thinking that the client asks for; `undefined` if it asks for none. */
export function anthropicThinking({
  thinking,
}: Pick<MessagesRequest, 'thinking'>): ThinkingOptions | undefined {
  const { type = 'disabled', display } = thinking ?? {}
  return type === 'disabled' ? undefined : { isOmitted: display === 'omitted' }
}

/** Returns all text of a request, to count its tokens. */
export function requestText({ messages, system = '' }: CountRequest): string {
  return [textOf(system), ...messages.map(({ content }) => textOf(content))].join('\n')
}

function textOf(content: string | readonly AnthropicBlock[]): string {
  if (typeof content === 'string') return content
  return content.flatMap(blockTexts).join('\n\n')
}

function blockTexts({ type, text, content }: AnthropicBlock): readonly string[] {
  if (type === 'text') return text === undefined || text === '' ? [] : [text]
  return type === 'tool_result' ? [resultText({ type, content })] : []
}

function resultText({ content }: AnthropicBlock): string {
  if (typeof content === 'string') return content
  const blocks = Array.isArray(content) ? (content as readonly AnthropicBlock[]) : []
  return textOf(blocks.filter((block) => typeof block?.text === 'string'))
}

/** Returns the file in a block, or a failure if it would have to be fetched. */
function fileOf({ type, source, title }: AnthropicBlock): readonly (Attachment | Failure)[] {
  if (type !== 'image' && type !== 'document') return []
  const { data, media_type: mediaType } = source ?? {}
  const filename = typeof title === 'string' ? { filename: title } : {}
  if (source?.type === 'base64' && data !== undefined && mediaType !== undefined)
    return [{ mediaType, data, ...filename }]
  if (source?.type === 'text' && data !== undefined)
    return [{ mediaType: 'text/plain', data: toBase64(data), ...filename }]
  return [
    failure(
      'request_invalid',
      'messages: files must be part of the request.',
      'Send the content of the file as base64.',
    ),
  ]
}

function toBase64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''))
}
