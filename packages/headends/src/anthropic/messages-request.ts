import { failure, type Attachment, type Failure, type JsonObject } from '@troupe/schema'
import { z } from 'zod'
import type { ClientMessage } from '../client-runs/client-conversation.ts'
import type { OutputOptions } from '../client-runs/resolve-output.ts'
import { jsonObject } from '../request/read-json.ts'

/** The fields of a content block that are used. Blocks of other types are ignored. */
interface AnthropicBlock {
  readonly type: string
  readonly text?: string | undefined
  readonly title?: string | null | undefined
  readonly content?: unknown
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
  readonly output_config?: { readonly format?: OutputFormat | null | undefined } | null | undefined
}

const block: z.ZodType<AnthropicBlock> = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  title: z.string().nullish(),
  content: z.unknown().optional(),
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
    output_config: z
      .looseObject({
        format: z.looseObject({ type: z.literal('json_schema'), schema: jsonObject }).nullish(),
      })
      .nullish(),
  })
  .meta({ id: 'MessagesRequest' })

/** Converts a request to client messages. Tool calls are left out; tool results become text of the user. */
export function anthropicMessages({ messages, system }: CountRequest): readonly ClientMessage[] | Failure {
  const clientMessages: ClientMessage[] = []
  if (system !== undefined) clientMessages.push({ role: 'system', text: textOf(system) })
  for (const { role, content } of messages) {
    const files = typeof content === 'string' ? [] : content.flatMap(fileOf)
    const unread = files.find((file) => 'code' in file)
    if (unread !== undefined) return unread
    clientMessages.push({ role, text: textOf(content), attachments: files as readonly Attachment[] })
  }
  return clientMessages
}

/** Returns the output format that the client requests. */
export function anthropicOutput({
  output_config: config,
}: Pick<MessagesRequest, 'output_config'>): OutputOptions {
  const schema = config?.format?.schema
  return schema === undefined ? {} : { format: 'json', schema }
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
  if (type !== 'tool_result') return []
  const blocks = Array.isArray(content) ? (content as readonly AnthropicBlock[]) : []
  const result =
    typeof content === 'string' ? content : textOf(blocks.filter((block) => typeof block?.text === 'string'))
  return [`Result of a tool:\n${result}`]
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
