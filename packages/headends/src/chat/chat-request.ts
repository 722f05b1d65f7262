import { failure, type Attachment, type Failure } from '@troupe/schema'
import { z } from 'zod'
import { toConversation, type ClientConversation, type ClientMessage } from '../client-conversation.ts'
import { fromDataUrl } from '../data-url.ts'

/** What is read of a part of a message. */
interface Part {
  readonly type: string
  readonly text?: string | undefined
  readonly url?: string | undefined
  readonly filename?: string | undefined
  /** Of a call that waits for an approval, and its answer. */
  readonly state?: string | undefined
  readonly approval?:
    | { readonly id: string; readonly approved?: boolean | undefined; readonly reason?: string | undefined }
    | undefined
}

interface ChatMessage {
  readonly id?: string | undefined
  readonly role: 'system' | 'user' | 'assistant'
  readonly parts: readonly Part[]
}

/** What is read of what the chat transport of the AI SDK posts; everything else is taken and has no effect. */
export interface ChatRequest {
  /** Of the chat; none: one that is not gone on with. */
  readonly id?: string | undefined
  readonly messages: readonly ChatMessage[]
  /** None: the entry. */
  readonly agent?: string | undefined
}

/** A decision on a call. */
export interface ChatDecision {
  readonly approvalId: string
  readonly approved: boolean
  readonly reason?: string
}

const part: z.ZodType<Part> = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  url: z.string().optional(),
  filename: z.string().optional(),
  state: z.string().optional(),
  approval: z
    .looseObject({ id: z.string(), approved: z.boolean().optional(), reason: z.string().optional() })
    .optional(),
})

/** See {@link ChatRequest}. */
export const chatRequest: z.ZodType<ChatRequest> = z.looseObject({
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

/** The conversation of a client: its texts and files. */
export function chatConversation({ messages }: ChatRequest): ClientConversation | Failure {
  const said: ClientMessage[] = []
  for (const { role, parts } of messages) {
    const files = parts.filter(({ type }) => type === 'file').map(fileOf)
    if (role === 'user' && files.includes(undefined))
      return failure(
        'request_invalid',
        'messages: files are read from `data:` addresses only.',
        'Send the file itself.',
      )
    said.push({ role, text: textOf(parts), attachments: files.filter((file) => file !== undefined) })
  }
  return toConversation(said)
}

/** The decisions in the last message, where that is the one of the agent. */
export function chatDecisions({ messages }: ChatRequest): readonly ChatDecision[] {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return []
  return last.parts.flatMap(({ state, approval }) => {
    if (state !== 'approval-responded' || approval?.approved === undefined) return []
    const { id: approvalId, approved, reason } = approval
    return [{ approvalId, approved, ...(reason === undefined ? {} : { reason }) }]
  })
}

/** What the user said last; undefined: the last message is not theirs. */
export function lastWords({ messages }: ChatRequest): string | undefined {
  const last = messages.at(-1)
  return last?.role === 'user' ? textOf(last.parts) : undefined
}

function textOf(parts: readonly Part[]): string {
  return parts.flatMap(({ type, text = '' }) => (type === 'text' && text !== '' ? [text] : [])).join('\n\n')
}

function fileOf({ url = '', filename }: Part): Attachment | undefined {
  return fromDataUrl(url, filename)
}
