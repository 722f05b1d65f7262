import { failure, type AgentDefinition, type Failure } from '@troupe/schema'
import { z } from 'zod'
import {
  toConversation,
  type ClientConversation,
  type ClientMessage,
  fromDataUrl,
} from '../client-runs/client-conversation.ts'

/** The fields of a message part that are used. */
interface ChatPart {
  readonly type: string
  readonly text?: string | undefined
  readonly url?: string | undefined
  readonly filename?: string | undefined
  /** State of a tool call, such as that of an answered approval. */
  readonly state?: string | undefined
  readonly approval?:
    | { readonly id: string; readonly approved?: boolean | undefined; readonly reason?: string | undefined }
    | undefined
}

interface UiChatMessage {
  readonly id?: string | undefined
  readonly role: 'system' | 'user' | 'assistant'
  readonly parts: readonly ChatPart[]
}

/** The fields of an AI SDK chat request that are used. Other fields are accepted and ignored. */
export interface ChatRequest {
  /** Chat id; `undefined` for a one-off chat. */
  readonly id?: string | undefined
  readonly messages: readonly UiChatMessage[]
  /** Agent name. Default: the entry agent. */
  readonly agent?: string | undefined
}

/** A person's decision on a tool call. */
interface ChatDecision {
  readonly approvalId: string
  readonly approved: boolean
  readonly reason?: string
}

const part: z.ZodType<ChatPart> = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  url: z.string().optional(),
  filename: z.string().optional(),
  state: z.string().optional(),
  approval: z
    .looseObject({ id: z.string(), approved: z.boolean().optional(), reason: z.string().optional() })
    .optional(),
})

/** Schema of {@link ChatRequest}. */
export const chatRequest: z.ZodType<ChatRequest> = z
  .looseObject({
    id: z.string().min(1).optional(),
    messages: z
      .array(
        z.looseObject({
          id: z.string().optional(),
          role: z.enum(['system', 'user', 'assistant']),
          parts: z.array(part),
        }),
      )
      .min(1),
    agent: z.string().optional(),
  })
  .meta({ id: 'ChatRequest' })

/** Converts the texts and files of a chat to a conversation. */
export function chatConversation(
  { messages }: ChatRequest,
  agent: AgentDefinition,
): ClientConversation | Failure {
  const clientMessages: ClientMessage[] = []
  for (const { role, parts } of messages) {
    const files = parts
      .filter(({ type }) => type === 'file')
      .map(({ url = '', filename }) => fromDataUrl(url, filename))
    if (role === 'user' && files.includes(undefined))
      return failure(
        'request_invalid',
        'messages: files must be sent as `data:` URLs.',
        'Send the content of the file.',
      )
    clientMessages.push({
      role,
      text: textOf(parts),
      attachments: files.filter((file) => file !== undefined),
    })
  }
  return toConversation(clientMessages, agent)
}

/** Returns the decisions in the last message if it is from the assistant. */
export function chatDecisions({ messages }: ChatRequest): readonly ChatDecision[] {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return []
  return last.parts.flatMap(({ state, approval }) => {
    if (state !== 'approval-responded' || approval?.approved === undefined) return []
    const { id: approvalId, approved, reason } = approval
    return [{ approvalId, approved, ...(reason === undefined ? {} : { reason }) }]
  })
}

/** Returns the text of the last message; `undefined` if it is not from the user. */
export function lastUserText({ messages }: ChatRequest): string | undefined {
  const last = messages.at(-1)
  return last?.role === 'user' ? textOf(last.parts) : undefined
}

function textOf(parts: readonly ChatPart[]): string {
  return parts.flatMap(({ type, text = '' }) => (type === 'text' && text !== '' ? [text] : [])).join('\n\n')
}
