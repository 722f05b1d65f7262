import type { DatabaseSync } from 'node:sqlite'
import type { SessionEntry, SessionTable } from '@troupe/schema/ports'
import type { Transact } from './transactor.ts'

interface SessionEntryRow {
  readonly principal: string
  readonly session: string
  /** JSON text. */
  readonly name: string | null
  readonly archived: 0 | 1 | null
  readonly branch_session: string | null
  readonly branch_run: string | null
}

/** Prepares the statements of the table of sessions once. `transact` runs writes, `read` runs reads. */
export function createSessionTable(
  database: DatabaseSync,
  { transact, read }: { readonly transact: Transact; read<T>(work: () => T): T },
): SessionTable {
  const list = database.prepare('SELECT * FROM sessions WHERE (?1 IS NULL OR principal = ?1)')
  const set = database.prepare(
    `INSERT INTO sessions SELECT ?1, ?2, ?3, ?4, ?5, ?6
     WHERE EXISTS (SELECT 1 FROM roots WHERE principal = ?1 AND session = ?2)
     ON CONFLICT DO UPDATE SET name = coalesce(excluded.name, name), archived = coalesce(excluded.archived, archived),
       branch_session = coalesce(excluded.branch_session, branch_session),
       branch_run = coalesce(excluded.branch_run, branch_run)`,
  )
  return {
    list: (principal) =>
      read(() => (list.all(principal ?? null) as unknown as SessionEntryRow[]).map(toEntry)),
    set: ({ principal, sessionId }, { name, archived, branchOf }) =>
      transact(
        () =>
          set.run(
            principal,
            sessionId,
            name === undefined ? null : JSON.stringify(name),
            archived === undefined ? null : Number(archived),
            branchOf?.sessionId ?? null,
            branchOf?.runId ?? null,
          ).changes === 1,
      ),
  }
}

function toEntry({
  principal,
  session,
  name,
  archived,
  branch_session,
  branch_run,
}: SessionEntryRow): SessionEntry {
  const text = name === null ? '' : (JSON.parse(name) as string)
  return {
    principal,
    sessionId: session,
    archived: archived === 1,
    ...(text === '' ? {} : { name: text }),
    ...(branch_session === null || branch_run === null
      ? {}
      : { branchOf: { sessionId: branch_session, runId: branch_run } }),
  }
}
