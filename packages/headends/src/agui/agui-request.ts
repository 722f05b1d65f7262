import { failure, type Attachment, type Failure } from '@troupe/schema'
import { z } from 'zod'
import {
  toConversation,
  type ClientConversation,
  type ClientMessage,
  fromDataUrl,
} from '../client-runs/client-conversation.ts'

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
}

/** The fields of a `RunAgentInput` that are used. Other fields are accepted and ignored. */
export interface AguiRequest {
  readonly threadId: string
  readonly runId: string
  readonly messages: readonly AguiMessage[]
  readonly context?: readonly { readonly description: string; readonly value: string }[] | undefined
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
      }),
    ),
    context: z.array(z.looseObject({ description: z.string(), value: z.string() })).optional(),
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

/** Converts the messages of a client to a conversation. Messages of subagents and tools are left out. */
export function aguiConversation({ messages, context = [] }: AguiRequest): ClientConversation | Failure {
  const system = context.map(({ description, value }): ClientMessage => ({
    role: 'system',
    text: `${description}: ${value}`,
  }))
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
    clientMessages.push({
      role,
      text: parts.map(({ text = '' }) => text).join(''),
      attachments: files.filter((file) => file !== undefined),
    })
  }
  return toConversation([...system, ...clientMessages])
}

function roleOf({ role, subagentRunId }: AguiMessage): ClientMessage['role'] | undefined {
  if (subagentRunId !== undefined && subagentRunId !== null) return undefined
  if (role === 'system' || role === 'developer') return 'system'
  return role === 'user' || role === 'assistant' ? role : undefined
}

function fileOf({ source, data, mimeType }: AguiPart): Attachment | undefined {
  const base64 = source?.type === 'data' ? source.value : data
  const mediaType = source?.mimeType ?? mimeType
  if (base64 === undefined || mediaType === undefined) return undefined
  return fromDataUrl(`data:${mediaType};base64,${base64}`)
}
