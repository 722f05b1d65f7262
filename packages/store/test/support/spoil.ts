import { DatabaseSync } from 'node:sqlite'

/** Changes what stands in a closed store as a disk would: nothing of SQLite or of the store notices on the way. */
export function spoil(path: string, statement: string, ...values: readonly (string | number)[]): void {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false })
  try {
    if (database.prepare(statement).run(...values).changes === 0)
      throw new RangeError(`nothing to spoil: ${statement}`)
  } finally {
    database.close()
  }
}
