import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findProcesses } from '../src/internal.ts'
import { createDatabase, HAS_POSTGRES, POSTGRES_NOTE, startPostgres } from '../src/postgres/index.ts'

const OWNER = fileURLToPath(new URL('support/postgres-owner.ts', import.meta.url))

async function query(url: string, statement: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

describe.skipIf(!HAS_POSTGRES)(`startPostgres${POSTGRES_NOTE}`, () => {
  it('startPostgres starts a server that keeps committed rows over a crash', async () => {
    const cluster = await startPostgres()
    onTestFinished(() => cluster.stop())
    const { url, drop } = await createDatabase(cluster.url)
    await query(url, 'CREATE TABLE kept AS SELECT 1 AS n')
    await cluster.crash()
    await expect(query(url, 'SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await cluster.start()
    expect(await query(url, 'SELECT n FROM kept')).toEqual([{ n: 1 }])
    await drop()
    await expect(query(url, 'SELECT 1')).rejects.toMatchObject({ code: '3D000' })
  })

  it('startPostgres leaves neither a process nor a folder behind when its owner is killed', async () => {
    const owner = spawn(process.execPath, ['--conditions=@troupe/source', OWNER], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [folder] = (await once(owner.stdout.setEncoding('utf8'), 'data')) as [string]
    expect(findProcesses(folder)).not.toEqual([])
    owner.kill('SIGKILL')
    await once(owner, 'close')
    await expect.poll(() => [...findProcesses(folder), existsSync(folder)]).toEqual([false])
  })
})
