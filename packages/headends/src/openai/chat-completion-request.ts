import {
  failure,
  type AgentDefinition,
  type EarlierCall,
  type Attachment,
  type Failure,
  type JsonObject,
} from '@troupe/schema'
import { z } from 'zod'
import type { RequestedTool, ToolRequest } from '../client-calls/client-tools.ts'
import { type ClientMessage, fromDataUrl, parseArguments } from '../client-runs/client-conversation.ts'
import type { OutputOptions } from '../client-runs/resolve-output.ts'
import { jsonObject } from '../request/read-json.ts'

type CompletionPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'refusal'; readonly refusal: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }
  | {
      readonly type: 'file'
      readonly file: { readonly file_data?: string | undefined; readonly filename?: string | undefined }
    }
  | { readonly type: 'input_audio' }

/** The fields of a message that are used. */
interface ChatCompletionMessage {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool' | 'function'
  readonly content?: string | readonly CompletionPart[] | null | undefined
  readonly tool_call_id?: string | undefined
  readonly tool_calls?: readonly CompletionCall[] | null | undefined
}

/** A call of an assistant. Only calls of functions are used. */
interface CompletionCall {
  readonly id: string
  readonly function?: { readonly name: string; readonly arguments: string } | undefined
}

/** A tool, or its name in `tool_choice`. Only functions are used. */
interface CompletionTool {
  readonly type: string
  readonly function?:
    | {
        readonly name: string
        readonly description?: string | null | undefined
        readonly parameters?: JsonObject | null | undefined
      }
    | undefined
}

type CompletionChoice =
  | 'none'
  | 'auto'
  | 'required'
  | (Pick<CompletionTool, 'type' | 'function'> & {
      readonly allowed_tools?:
        | { readonly mode: 'auto' | 'required'; readonly tools: readonly CompletionTool[] }
        | undefined
    })

const part: z.ZodType<CompletionPart> = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('refusal'), refusal: z.string() }),
  z.looseObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string() }) }),
  z.looseObject({
    type: z.literal('file'),
    file: z.looseObject({ file_data: z.string().optional(), filename: z.string().optional() }),
  }),
  z.looseObject({ type: z.literal('input_audio') }),
])

const message: z.ZodType<ChatCompletionMessage> = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z.union([z.string(), z.array(part), z.null()]).optional(),
  tool_call_id: z.string().optional(),
  tool_calls: z
    .array(
      z.looseObject({
        id: z.string(),
        function: z.looseObject({ name: z.string(), arguments: z.string() }).optional(),
      }),
    )
    .nullish(),
})

const tool: z.ZodType<CompletionTool> = z
  .looseObject({
    type: z.string(),
    function: z
      .looseObject({
        name: z.string(),
        description: z.string().nullish(),
        parameters: jsonObject.nullish(),
      })
      .optional(),
  })
  .meta({ id: 'ChatCompletionTool' })

/** The fields of a response format that are used. */
type ResponseFormat =
  | { readonly type: 'text' | 'json_object' }
  | { readonly type: 'json_schema'; readonly json_schema: { readonly schema?: JsonObject | undefined } }

/** The fields of `POST /openai/v1/chat/completions` that are used. Other fields are accepted and ignored. */
interface ChatCompletionRequest {
  readonly model: string
  readonly messages: readonly ChatCompletionMessage[]
  readonly stream?: boolean | null | undefined
  readonly stream_options?: { readonly include_usage?: boolean | null | undefined } | null | undefined
  readonly n?: number | null | undefined
  readonly reasoning_effort?: string | null | undefined
  readonly response_format?: ResponseFormat | null | undefined
  readonly tools?: readonly CompletionTool[] | null | undefined
  readonly tool_choice?: CompletionChoice | null | undefined
  readonly parallel_tool_calls?: boolean | null | undefined
}

/** Schema of the body of `POST /openai/v1/chat/completions`. */
export const chatCompletionRequest: z.ZodType<ChatCompletionRequest> = z
  .looseObject({
    model: z.string().meta({ description: 'The name of an agent.' }),
    messages: z.array(message).min(1),
    stream: z.boolean().nullish(),
    stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
    n: z.literal(1).nullish(),
    reasoning_effort: z.string().nullish(),
    tools: z.array(tool).nullish(),
    tool_choice: z
      .union([
        z.enum(['none', 'auto', 'required']),
        z.looseObject({
          type: z.string(),
          function: z.looseObject({ name: z.string() }).optional(),
          allowed_tools: z
            .looseObject({ mode: z.enum(['auto', 'required']), tools: z.array(tool) })
            .optional(),
        }),
      ])
      .nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    response_format: z
      .discriminatedUnion('type', [
        z.looseObject({ type: z.enum(['text', 'json_object']) }),
        z.looseObject({
          type: z.literal('json_schema'),
          json_schema: z.looseObject({ schema: jsonObject.optional() }),
        }),
      ])
      .nullish(),
  })
  .meta({ id: 'ChatCompletionRequest' })

/** Converts a request to client messages. */
export function chatMessages({ messages }: ChatCompletionRequest): readonly ClientMessage[] | Failure {
  const clientMessages: ClientMessage[] = []
  for (const { role, content, tool_calls: calls, tool_call_id: callId } of messages) {
    const parts: readonly CompletionPart[] =
      typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
    const files = parts.map(fileOf)
    const unread = files.find((file) => file !== undefined && !('data' in file))
    if (unread !== undefined) return unread as Failure
    const text = parts.map(textOf).join('')
    if (role === 'tool' || role === 'function')
      clientMessages.push({
        role: 'tool',
        text,
        result: { callId: callId ?? '', content: [{ type: 'text', text }] },
      })
    else
      clientMessages.push({
        role: roleOf(role),
        text,
        attachments: files.filter((file): file is Attachment => file !== undefined && 'data' in file),
        calls: (calls ?? []).flatMap(toCall),
      })
  }
  return clientMessages
}

function toCall({ id, function: called }: CompletionCall): readonly EarlierCall[] {
  return called === undefined ? [] : [{ id, name: called.name, args: parseArguments(called.arguments) }]
}

/** Returns the tools of a request. Tools that are not functions have no schema and are ignored. */
export function chatTools({
  tools,
  tool_choice: choice,
  parallel_tool_calls: parallel,
}: ChatCompletionRequest): ToolRequest | Failure {
  const request = { tools: (tools ?? []).flatMap(toRequestedTool), parallel }
  if (choice === undefined || choice === null) return request
  if (typeof choice === 'string') return { ...request, choice }
  if (choice.allowed_tools !== undefined) {
    const allowed = choice.allowed_tools.tools.flatMap(({ function: named }) => named?.name ?? [])
    return { ...request, choice: choice.allowed_tools.mode, allowed }
  }
  if (choice.function !== undefined) return { ...request, choice: { tool: choice.function.name } }
  return failure('request_invalid', `tool_choice: the type ${choice.type.slice(0, 100)} is not supported.`)
}

function toRequestedTool({ function: called }: CompletionTool): readonly RequestedTool[] {
  if (called === undefined) return []
  const { name, description, parameters } = called
  return [{ name, description, schema: parameters }]
}

/** Returns true if the client asks for reasoning, false if it wants none, and `undefined` if it asks for neither. */
export function wantsReasoning({
  reasoning_effort: effort,
}: Pick<ChatCompletionRequest, 'reasoning_effort'>): boolean | undefined {
  return typeof effort === 'string' ? effort !== 'none' : undefined
}

/**
 * Returns the output format that the client requests. `json_object` uses the agent's own schema if there is
 * one.
 */
export function chatOutput(
  { response_format: responseFormat }: Pick<ChatCompletionRequest, 'response_format'>,
  { output }: Pick<AgentDefinition, 'output'>,
): OutputOptions {
  if (responseFormat?.type === 'json_schema')
    return { format: 'json', schema: responseFormat.json_schema.schema }
  if (responseFormat?.type !== 'json_object') return {}
  return { format: 'json', schema: output.schema ?? { type: 'object' } }
}

function roleOf(role: ChatCompletionMessage['role']): 'system' | 'user' | 'assistant' {
  if (role === 'system' || role === 'developer') return 'system'
  return role === 'assistant' ? 'assistant' : 'user'
}

function textOf(part: CompletionPart): string {
  if (part.type === 'text') return part.text
  return part.type === 'refusal' ? part.refusal : ''
}

/** Returns the file in a part, or a failure if it would have to be fetched or its type is not supported. */
function fileOf(part: CompletionPart): Attachment | Failure | undefined {
  if (part.type === 'text' || part.type === 'refusal') return undefined
  if (part.type === 'input_audio')
    return failure('request_invalid', 'messages: audio is not supported.', 'Send a transcript.')
  const url = part.type === 'image_url' ? part.image_url.url : (part.file.file_data ?? '')
  const filename = part.type === 'file' ? part.file.filename : undefined
  return (
    fromDataUrl(url, filename) ??
    failure(
      'request_invalid',
      'messages: files must be sent as `data:` URLs.',
      'Send the content of the file.',
    )
  )
}
