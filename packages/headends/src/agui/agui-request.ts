import { failure, type Attachment, type EarlierCall, type Failure, type JsonObject } from '@troupe/schema'
import { z } from 'zod'
import { readCallId } from '../client-calls/call-id.ts'
import type { RequestedTool } from '../client-calls/client-tools.ts'
import { type ClientMessage, fromDataUrl, parseArguments } from '../client-runs/client-conversation.ts'
import { jsonObject } from '../request/read-json.ts'
import { hasState, STATE_TOOL, STATE_TOOL_DEFINITION } from './shared-state.ts'

/** A content part of a user message. */
interface AguiPart {
  readonly type: string
  readonly text?: string | undefined
  readonly source?:
    | { readonly type: string; readonly value: string; readonly mimeType?: string | undefined }
    | undefined
  /** Base64 content of a `binary` part, as used before AG-UI 1.0. */
  readonly data?: string | undefined
  readonly mimeType?: string | undefined
}

interface AguiMessage {
  readonly role: string
  readonly content?: string | readonly AguiPart[] | null | undefined
  readonly subagentRunId?: string | null | undefined
  /** Calls in a message of an assistant. */
  readonly toolCalls?:
    | readonly {
        readonly id: string
        readonly function: { readonly name: string; readonly arguments: string }
      }[]
    | null
    | undefined
  /** Call that a message of a tool answers. */
  readonly toolCallId?: string | undefined
  readonly error?: string | null | undefined
}

/** A tool of the client. */
interface AguiTool {
  readonly name: string
  readonly description?: string | null | undefined
  readonly parameters?: JsonObject | null | undefined
}

/** The fields of a `RunAgentInput` that are used. Other fields are accepted and ignored. */
export interface AguiRequest {
  readonly threadId: string
  readonly runId: string
  readonly messages: readonly AguiMessage[]
  readonly tools?: readonly AguiTool[] | null | undefined
  readonly context?: readonly { readonly description: string; readonly value: string }[] | undefined
  /** State that the agent shares with the client. */
  readonly state?: unknown
  readonly resume?:
    | readonly {
        readonly interruptId: string
        readonly status: 'resolved' | 'cancelled'
        readonly payload?: unknown
      }[]
    | undefined
}

const part: z.ZodType<AguiPart> = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  source: z.looseObject({ type: z.string(), value: z.string(), mimeType: z.string().optional() }).optional(),
  data: z.string().optional(),
  mimeType: z.string().optional(),
})

/** Schema of {@link AguiRequest}. */
export const aguiRequest: z.ZodType<AguiRequest> = z
  .looseObject({
    threadId: z.string().min(1),
    runId: z.string().min(1),
    messages: z.array(
      z.looseObject({
        role: z.string(),
        // The content of activity messages is an object, which is ignored.
        content: z
          .union([z.string(), z.array(part), z.null()])
          .optional()
          .catch(undefined),
        subagentRunId: z.string().nullish(),
        toolCalls: z
          .array(
            z.looseObject({
              id: z.string(),
              function: z.looseObject({ name: z.string(), arguments: z.string() }),
            }),
          )
          .nullish()
          .catch(undefined),
        toolCallId: z.string().optional(),
        error: z.string().nullish().catch(undefined),
      }),
    ),
    tools: z
      .array(
        z.looseObject({
          name: z.string(),
          description: z.string().nullish(),
          parameters: jsonObject.nullish(),
        }),
      )
      .nullish(),
    context: z.array(z.looseObject({ description: z.string(), value: z.string() })).optional(),
    state: z.unknown().optional(),
    resume: z
      .array(
        z.looseObject({
          interruptId: z.string(),
          status: z.enum(['resolved', 'cancelled']),
          payload: z.unknown().optional(),
        }),
      )
      .optional(),
  })
  .meta({ id: 'AguiRequest' })

/** Returns the tools of a client, with the one that changes its state if it has one. */
export function aguiTools({ tools, state }: AguiRequest): readonly RequestedTool[] | Failure {
  const offered = (tools ?? []).map(({ name, description, parameters }) => ({
    name,
    description,
    schema: parameters,
  }))
  const index = offered.findIndex(({ name }) => name === STATE_TOOL)
  if (index !== -1) return failure('request_invalid', `tools.${index}: the name ${STATE_TOOL} is reserved.`)
  return hasState(state) ? [...offered, STATE_TOOL_DEFINITION] : offered
}

/**
 * Converts the messages of a client. Messages of subagents are left out, and so are calls and results of the
 * agent's own tools. Context and state follow, as system messages.
 */
export function aguiMessages({
  messages,
  context = [],
  state,
}: AguiRequest): readonly ClientMessage[] | Failure {
  const texts = context.map(({ description, value }) => `${description}: ${value}`)
  if (hasState(state)) texts.push(`${STATE_HEADING}\n${JSON.stringify(state)}`)
  const system = texts.map((text): ClientMessage => ({ role: 'system', text }))
  const clientMessages: ClientMessage[] = []
  for (const message of messages) {
    const role = roleOf(message)
    if (role === undefined) continue
    const parts: readonly AguiPart[] =
      typeof message.content === 'string'
        ? [{ type: 'text', text: message.content }]
        : (message.content ?? [])
    const files = parts.filter(({ type }) => type !== 'text').map(fileOf)
    if (files.includes(undefined))
      return failure(
        'request_invalid',
        'messages: files must be sent as data, not as URLs.',
        'Send the content of the file.',
      )
    const text = parts.map(({ text = '' }) => text).join('')
    const attachments = files.filter((file) => file !== undefined)
    clientMessages.push(
      role === 'tool'
        ? { role, text, result: resultOf(message, { text, attachments }) }
        : { role, text, attachments, calls: (message.toolCalls ?? []).flatMap(toCall) },
    )
  }
  return [...clientMessages, ...system]
}

const STATE_HEADING =
  'The state that you share with the user interface, as JSON, when it sent its last message:'

function toCall({
  id,
  function: called,
}: NonNullable<AguiMessage['toolCalls']>[number]): readonly EarlierCall[] {
  if (readCallId(id) === undefined) return []
  return [{ id, name: called.name, args: parseArguments(called.arguments) }]
}

function resultOf(
  { toolCallId = '', error }: AguiMessage,
  { text, attachments }: { readonly text: string; readonly attachments: readonly Attachment[] },
): NonNullable<ClientMessage['result']> {
  const isError = typeof error === 'string' && error !== ''
  return {
    callId: toolCallId,
    content: [
      { type: 'text', text: text === '' && isError ? error : text },
      ...attachments.map(({ mediaType, data }) => ({ type: 'image', mimeType: mediaType, data })),
    ],
    ...(isError ? { isError } : {}),
  }
}

function roleOf({ role, subagentRunId, toolCallId }: AguiMessage): ClientMessage['role'] | undefined {
  if (subagentRunId !== undefined && subagentRunId !== null) return undefined
  if (role === 'system' || role === 'developer') return 'system'
  if (role === 'tool') return readCallId(toolCallId ?? '') === undefined ? undefined : role
  return role === 'user' || role === 'assistant' ? role : undefined
}

function fileOf({ source, data, mimeType }: AguiPart): Attachment | undefined {
  const base64 = source?.type === 'data' ? source.value : data
  const mediaType = source?.mimeType ?? mimeType
  if (base64 === undefined || mediaType === undefined) return undefined
  return fromDataUrl(`data:${mediaType};base64,${base64}`)
}
