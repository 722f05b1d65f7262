import { randomUUID } from 'node:crypto'
import { DBOSClient } from '@dbos-inc/dbos-sdk'
import { migrateSystemDatabase } from '@dbos-inc/dbos-sdk/internal/system_database'
import { startPeerWorker, type FanOutPeer } from './fan-out-peer.ts'

const print = (): void => undefined
const SILENT = { debug: print, info: print, warn: print, error: print }

/** Opens the fan-out on DBOS in an empty database. */
export async function openDbosPeer(url: string): Promise<FanOutPeer> {
  await migrateSystemDatabase(url, SILENT as never, 'dbos')
  const client = await DBOSClient.create({ systemDatabaseUrl: url, logger: SILENT })
  return {
    name: 'DBOS',
    startWorker: () => startPeerWorker('dbos-worker.ts', url),
    async fanOut(count) {
      const handle = await client.enqueue<(count: number) => Promise<readonly string[]>>(
        { workflowName: 'parent', queueName: 'parents', workflowID: randomUUID(), appVersion: 'peer-1' },
        count,
      )
      return handle.getResult()
    },
    close: () => client.destroy(),
  }
}
