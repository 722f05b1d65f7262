import type { DatabaseSync } from 'node:sqlite'
import type { EventDraft, StoreDetail } from '@troupe/schema'
import { factsOf, type RootRunFacts } from '../root-run-facts.ts'
import { createBlobs } from './blobs.ts'
import { unpackPayload } from './payload.ts'

/** A migration from one schema version to the next: SQL statements, or a function. */
export type Migration = string | ((database: DatabaseSync) => void)

const COLUMNS = `
  ALTER TABLE roots ADD COLUMN agent TEXT;
  ALTER TABLE roots ADD COLUMN outcome TEXT;
  ALTER TABLE roots ADD COLUMN asked INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE roots ADD COLUMN search TEXT;
`
// every index ends with the row id, which is the order of the list
const INDEXES = `
  CREATE INDEX roots_by_principal ON roots (principal);
  CREATE INDEX roots_by_agent ON roots (principal, agent);
  CREATE INDEX roots_by_outcome ON roots (principal, outcome);
`

/**
 * Adds the columns that root runs are listed by, and fills them from the first and the last event of each.
 */
export function addRootRunFacts(database: DatabaseSync): void {
  database.exec(COLUMNS)
  const read = createFactsReader(database)
  const update = database.prepare(
    'UPDATE roots SET agent = ?, outcome = ?, asked = ?, search = ? WHERE id = ?',
  )
  for (const row of database.prepare('SELECT id, detail FROM roots').all()) {
    const id = Number(row['id'])
    const {
      agent = null,
      outcome = null,
      hasApprovalRequests = false,
      search = null,
    } = read(id, row['detail'] as StoreDetail)
    update.run(agent, outcome, hasApprovalRequests ? 1 : 0, search, id)
  }
  database.exec(INDEXES)
}

/**
 * Returns a function that reads the listing properties of a root run from its events. Ignores damaged events.
 */
function createFactsReader(database: DatabaseSync): (root: number, detail: StoreDetail) => RootRunFacts {
  const select = (order: 'ASC' | 'DESC') =>
    database.prepare(
      `SELECT events AS data, events_have_blobs AS blobs FROM pieces WHERE root = ? AND events <> '[]' ORDER BY last_seq ${order}, id ${order} LIMIT 1`,
    )
  const first = select('ASC')
  const last = select('DESC')
  const selectApprovalRequest = database.prepare(
    `SELECT 1 FROM pieces WHERE root = ? AND instr(events, '"type":"approval-request"') > 0 LIMIT 1`,
  )
  const blobs = createBlobs(database)
  const eventsOf = (row: ReturnType<typeof first.get>): readonly EventDraft[] => {
    if (row === undefined) return []
    try {
      const payload = { data: String(row['data']), hasBlobs: row['blobs'] === 1 }
      return unpackPayload(payload, blobs.text) as unknown as readonly EventDraft[]
    } catch (thrown) {
      if (thrown instanceof SyntaxError) return []
      throw thrown
    }
  }
  return (root, detail) => {
    const ends = [eventsOf(first.get(root)).at(0), eventsOf(last.get(root)).at(-1)]
    const facts = ends.map((event) => (event === undefined ? {} : factsOf(event, detail)))
    return Object.assign(
      {},
      ...facts,
      selectApprovalRequest.get(root) === undefined ? {} : { hasApprovalRequests: true },
    ) as RootRunFacts
  }
}
