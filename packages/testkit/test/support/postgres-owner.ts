import { Client } from 'pg'
import { startPostgres } from '../../src/postgres/index.ts'

/** Starts a server, prints its folder and waits to be killed. */
const { url } = await startPostgres()
const client = new Client({ connectionString: url })
await client.connect()
const { rows } = await client.query<{ folder: string }>(
  `SELECT regexp_replace(current_setting('data_directory'), '/data$', '') AS folder`,
)
process.stdout.write(rows[0]?.folder ?? '')
