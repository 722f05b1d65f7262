import type { SessionEntry, SessionTable } from '@troupe/schema/ports'
import { fromColumn, toColumn, type Database } from '../connection/database.ts'

interface SessionColumns {
  readonly principal: string
  readonly session: string
  readonly name: string | null
  readonly archived: boolean | null
  readonly branch_session: string | null
  readonly branch_run: string | null
}

/** Creates the table of sessions. */
export function createSessionTable(
  database: Database,
  guarded: <T>(work: () => Promise<T>) => Promise<T>,
): SessionTable {
  const { schema } = database
  return {
    list: (principal) =>
      guarded(async () => {
        const rows = await database.query<SessionColumns>(
          `SELECT * FROM ${schema}.sessions WHERE ($1::text IS NULL OR principal = $1)`,
          [principal === undefined ? null : toColumn(principal)],
        )
        return rows.map(toEntry)
      }),
    set: ({ principal, sessionId }, { name, archived, branchOf }) =>
      guarded(async () => {
        const rows = await database.query(
          `INSERT INTO ${schema}.sessions AS s (principal, session, name, archived, branch_session, branch_run)
           SELECT $1::text, $2::text, $3::text, $4::boolean, $5::text, $6::text
           WHERE EXISTS (SELECT 1 FROM ${schema}.roots WHERE principal = $1 AND session = $2)
           ON CONFLICT (principal, session) DO UPDATE SET
             name = coalesce(excluded.name, s.name), archived = coalesce(excluded.archived, s.archived),
             branch_session = coalesce(excluded.branch_session, s.branch_session),
             branch_run = coalesce(excluded.branch_run, s.branch_run)
           RETURNING session`,
          [
            toColumn(principal),
            toColumn(sessionId),
            name === undefined ? null : toColumn(name),
            archived ?? null,
            branchOf === undefined ? null : toColumn(branchOf.sessionId),
            branchOf === undefined ? null : toColumn(branchOf.runId),
          ],
        )
        return rows.length > 0
      }),
  }
}

function toEntry(row: SessionColumns): SessionEntry {
  const { principal, session, name, archived, branch_session, branch_run } = row
  return {
    principal: fromColumn(principal),
    sessionId: fromColumn(session),
    archived: archived === true,
    ...(name === null || name === '' ? {} : { name: fromColumn(name) }),
    ...(branch_session === null || branch_run === null
      ? {}
      : { branchOf: { sessionId: fromColumn(branch_session), runId: fromColumn(branch_run) } }),
  }
}
