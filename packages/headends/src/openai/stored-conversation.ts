import { isJsonObject, troupeError, type JsonObject } from '@troupe/schema'
import type { SessionKey } from '@troupe/schema/ports'
import type { CreatedSessions } from '../run-service/created-sessions.ts'
import { conversationId, readConversationId } from './conversation-id.ts'

/** A conversation that a client created. Its items are those of the runs of its session. */
export interface StoredConversation {
  readonly session: SessionKey
  /** In seconds since 1970. */
  readonly createdAt: number
  readonly metadata: JsonObject
}

const FIELD = 'conversation'
const DELETED = 'conversationDeleted'

/** Note that marks a conversation as deleted. */
export const DELETED_CONVERSATION: JsonObject = { [DELETED]: true }

/** Finds a conversation. Rejects with `session_unknown` for ones that do not exist, were deleted or belong to others. */
export async function findConversation(
  id: string,
  principal: string,
  sessions: Pick<CreatedSessions, 'note'>,
): Promise<StoredConversation> {
  const sessionId = readConversationId(id)
  if (sessionId === undefined) throw conversationUnknown(id)
  const session = { sessionId, principal }
  const note = await sessions.note(session)
  const fields = note?.[FIELD]
  if (!isJsonObject(fields) || note?.[DELETED] === true) throw conversationUnknown(id)
  const { createdAt, metadata } = fields
  return {
    session,
    createdAt: typeof createdAt === 'number' ? createdAt : 0,
    metadata: isJsonObject(metadata) ? metadata : {},
  }
}

/** Returns the note that stores a conversation. */
export function conversationNote({
  createdAt,
  metadata,
}: Pick<StoredConversation, 'createdAt' | 'metadata'>): JsonObject {
  return { [FIELD]: { createdAt, metadata } }
}

/** Creates a conversation in OpenAI's format. */
export function conversationObject({
  session,
  createdAt,
  metadata,
}: StoredConversation): Readonly<Record<string, unknown>> {
  return { id: conversationId(session.sessionId), object: 'conversation', created_at: createdAt, metadata }
}

function conversationUnknown(id: string): Error {
  return troupeError('session_unknown', `There is no conversation ${id.slice(0, 200)}.`, {
    fix: 'Create one with `POST /openai/v1/conversations`.',
  })
}
