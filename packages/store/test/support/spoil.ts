import { DatabaseSync } from 'node:sqlite'

/** Changes the contents of a closed store as a faulty disk would, without SQLite or the store detecting the write. */
export function spoil(path: string, statement: string, ...values: readonly (string | number)[]): void {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false })
  try {
    if (database.prepare(statement).run(...values).changes === 0)
      throw new RangeError(`nothing to spoil: ${statement}`)
  } finally {
    database.close()
  }
}
