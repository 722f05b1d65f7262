import { hostname } from 'node:os'
import process, { argv, pid, stdout } from 'node:process'
import { sampleEvent } from '@troupe/testkit/internal'
import { SYSTEM_CLOCK } from '@troupe/testkit/teams'
import { openPostgresStore } from '../../src/index.ts'

/**
 * Writes events and steps of some runs of a root run as fast as it can, and prints run, `seq` and number of each event
 * that a listener receives, until it is killed, has written `count` events of each run, or gets SIGTERM. Prints the
 * trouble of the store.
 */
const [, , url = '', rootRunId = '', runIds = '', count = 'Infinity'] = argv

const stop = new AbortController()
process.once('SIGTERM', () => stop.abort())
const store = await openPostgresStore({
  url,
  clock: SYSTEM_CLOCK,
  random: Math.random,
  writer: { token: `${pid}`, pid, host: hostname(), isAlive: () => true },
  onTrouble: (reason) => stdout.write(`trouble ${reason?.code ?? 'over'}\n`),
})

async function write(runId: string): Promise<void> {
  const log =
    runId === rootRunId
      ? await store.open(rootRunId, 'writer')
      : await store.openRun({ rootRunId, runId }, 'writer')
  log.subscribe((event) => {
    if (event.type === 'warning') stdout.write(`${event.runId} ${event.seq} ${event.message}\n`)
  })
  for (let written = 0; written < Number(count) && !stop.signal.aborted;) {
    const burst = 1 + Math.floor(Math.random() * 40)
    for (let index = 0; index < burst && written < Number(count); index += 1) {
      written += 1
      log.append({
        runId,
        event: sampleEvent('warning', { runId, rootRunId, message: `${written}` }),
        step: { key: `llm:${written}`, value: written },
      })
    }
    await log.waitForCommit()
  }
  await log.close()
}

await Promise.all(runIds.split(',').map(write))
await store.close()
