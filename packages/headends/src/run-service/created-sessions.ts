import { isJsonObject, troupeError, type JsonObject } from '@troupe/schema'
import { NOTE_STEP, type SessionKey } from '@troupe/schema/ports'
import { readRequest } from './stored-run.ts'
import type { RunServiceContext } from './run-service-context.ts'

/** Sessions that exist before their first run. */
export interface CreatedSessions {
  /** Stores a session without runs. */
  create(session: SessionKey, note: JsonObject): Promise<void>
  /** Returns the note of a session of the principal that was created here; `undefined` for any other. */
  note(session: SessionKey): Promise<JsonObject | undefined>
  /** Adds fields to the note. Rejects with `session_busy` while a run of the session is active. */
  addNote(session: SessionKey, note: JsonObject): Promise<void>
  /** Returns the ids of the runs of a session, the oldest first. Rejects if one of them is not stored fully. */
  runs(session: SessionKey): Promise<readonly string[]>
}

/** Creates the access to the sessions of a store. */
export function createCreatedSessions({
  host,
  store,
  runner,
}: Pick<RunServiceContext, 'host' | 'store' | 'runner'>): CreatedSessions {
  return {
    create: (session, note) => host.createSession(session, note),
    async note({ sessionId, principal }) {
      const [root] = await store.roots({ principal, rootRunId: sessionId })
      if (root === undefined || root.session?.sessionId !== sessionId) return undefined
      const note = (await store.steps(sessionId, sessionId)).get(NOTE_STEP)
      return isJsonObject(note) ? note : undefined
    },
    addNote: ({ sessionId }, note) => host.addNote(sessionId, note),
    async runs({ sessionId, principal }) {
      const stored: string[] = []
      for (const { rootRunId } of await store.roots({ principal, sessionId }))
        if ((await readRequest(store, rootRunId)) !== undefined) stored.push(rootRunId)
      // the last runs may exist only in memory
      const conversation = await runner.session(sessionId, { principal })
      if (conversation !== undefined && stored.length < conversation.runs)
        throw troupeError('request_invalid', 'The runs of this conversation are not stored fully.', {
          fix: 'Set `store: full` in the card of its agent and in those of its children.',
        })
      return stored
    },
  }
}
