import { failure, type Failure } from '@troupe/schema'
import { z } from 'zod'
import type { Handler, HeadendContext } from '../headend/headend.ts'
import { checkShape, requireJson } from '../request/read-json.ts'
import type { CreatedSessions } from '../run-service/created-sessions.ts'
import { itemsOfRun, runOfItem } from './conversation-items.ts'
import { openAIError } from './openai-error.ts'
import { itemsQueryShape, listObject, queryOf, type ListedItem } from './item-list.ts'
import {
  conversationNote,
  conversationObject,
  DELETED_CONVERSATION,
  findConversation,
  type StoredConversation,
} from './stored-conversation.ts'
import type { ResponseRuns } from './stored-response.ts'

/** Dependencies of the routes of conversations. */
export interface ConversationsContext extends Pick<HeadendContext, 'clock' | 'newId'> {
  readonly sessions: CreatedSessions
  readonly runService: ResponseRuns
}

const MAX_METADATA = 16
/** Limits of the OpenAI API. */
const metadata = z
  .record(z.string().max(64), z.string().max(512))
  .refine((pairs) => Object.keys(pairs).length <= MAX_METADATA, `has more than ${MAX_METADATA} keys`)

const NO_ITEMS = 'cannot be set; send them as `input` of the first response with this conversation'

/** Body of `POST /openai/v1/conversations`. Other fields are ignored. */
interface CreateBody {
  readonly metadata?: Readonly<Record<string, string>> | null | undefined
  readonly items?: readonly unknown[] | null | undefined
}

/** Schema of {@link CreateBody}. */
export const conversationBody: z.ZodType<CreateBody> = z
  .looseObject({ metadata: metadata.nullish(), items: z.array(z.unknown()).max(0, NO_ITEMS).nullish() })
  .meta({ id: 'ConversationBody' })

/** Schema of the body of `POST /openai/v1/conversations/:id`. */
export const conversationUpdate: z.ZodType<{ readonly metadata: Readonly<Record<string, string>> }> = z
  .looseObject({ metadata })
  .meta({ id: 'ConversationUpdate' })

/** Schema of a conversation. */
export const conversationShape: z.ZodType = z
  .object({
    id: z.string(),
    object: z.literal('conversation'),
    created_at: z.number(),
    metadata: z.record(z.string(), z.string()),
  })
  .meta({ id: 'Conversation' })

/** Schema of the response to a deletion. */
export const deletedConversationShape: z.ZodType = z.object({
  id: z.string(),
  object: z.literal('conversation.deleted'),
  deleted: z.literal(true),
})

/** Handles `POST /openai/v1/conversations`. */
export function createConversationHandler({ sessions, clock, newId }: ConversationsContext): Handler {
  return async ({ req, env: { caller } }) => {
    const { metadata: given } = await requireJson(req.raw, conversationBody)
    const conversation: StoredConversation = {
      session: { sessionId: newId('run'), principal: caller.principal },
      createdAt: Math.floor(clock.now() / 1000),
      metadata: given ?? {},
    }
    await sessions.create(conversation.session, conversationNote(conversation))
    return Response.json(conversationObject(conversation))
  }
}

/** Handles `GET /openai/v1/conversations/:id`. */
export function readConversationHandler({ sessions }: ConversationsContext): Handler {
  return async ({ req, env: { caller } }) =>
    Response.json(
      conversationObject(await findConversation(req.param('id') ?? '', caller.principal, sessions)),
    )
}

/** Handles `POST /openai/v1/conversations/:id`, which replaces the metadata. */
export function updateConversationHandler({ sessions }: ConversationsContext): Handler {
  return async ({ req, env: { caller } }) => {
    const found = await findConversation(req.param('id') ?? '', caller.principal, sessions)
    const conversation = { ...found, metadata: (await requireJson(req.raw, conversationUpdate)).metadata }
    await sessions.addNote(conversation.session, conversationNote(conversation))
    return Response.json(conversationObject(conversation))
  }
}

/** Handles `DELETE /openai/v1/conversations/:id`. The conversation cannot be read or continued; its runs stay. */
export function deleteConversationHandler({ sessions }: ConversationsContext): Handler {
  return async ({ req, env: { caller } }) => {
    const id = req.param('id') ?? ''
    const { session } = await findConversation(id, caller.principal, sessions)
    await sessions.addNote(session, DELETED_CONVERSATION)
    return Response.json({ id, object: 'conversation.deleted', deleted: true })
  }
}

/** Handles `GET /openai/v1/conversations/:id/items`. Reads only the runs that the page needs. */
export function conversationItemsHandler({ sessions, runService }: ConversationsContext): Handler {
  return async ({ req, env: { caller } }) => {
    const query = checkShape(queryOf(req.url), itemsQueryShape)
    if (!query.ok) return openAIError(query.reason)
    const { limit, order, after } = query.value
    const { session } = await findConversation(req.param('id') ?? '', caller.principal, sessions)
    const runs = await sessions.runs(session)
    const ordered = order === 'asc' ? runs : runs.toReversed()
    const first = after === undefined ? 0 : ordered.indexOf(runOfItem(after) ?? '')
    if (after !== undefined && first < 0) return openAIError(itemUnknown(`after: ${after}`))
    let items: readonly ListedItem[] = []
    for (const runId of ordered.slice(first)) {
      const found = await itemsOfRun(runId, session, runService)
      items = [...items, ...(order === 'asc' ? found : found.toReversed())]
      if (items.length > limit + (after === undefined ? 0 : found.length)) break
    }
    const start = after === undefined ? 0 : items.findIndex(({ id }) => id === after) + 1
    if (after !== undefined && start === 0) return openAIError(itemUnknown(`after: ${after}`))
    return Response.json(listObject(items.slice(start), limit))
  }
}

/** Handles `GET /openai/v1/conversations/:id/items/:item`. */
export function conversationItemHandler({ sessions, runService }: ConversationsContext): Handler {
  return async ({ req, env: { caller } }) => {
    const itemId = req.param('item') ?? ''
    const { session } = await findConversation(req.param('id') ?? '', caller.principal, sessions)
    const runId = runOfItem(itemId)
    const isOwn = runId !== undefined && (await sessions.runs(session)).includes(runId)
    const items = isOwn ? await itemsOfRun(runId, session, runService) : []
    const item = items.find(({ id }) => id === itemId)
    return item === undefined ? openAIError(itemUnknown(itemId)) : Response.json(item)
  }
}

/** Handles requests to add and delete items, which runs cannot represent. */
export function fixedItemsHandler(): Handler {
  return () =>
    openAIError(
      failure(
        'request_invalid',
        'Items of a conversation can be neither added nor deleted, because they are those of its responses.',
        'Send new items as `input` of a response with this conversation.',
      ),
    )
}

function itemUnknown(id: string): Failure {
  return failure('run_unknown', `There is no item ${id.slice(0, 250)}.`)
}
