import { hostname } from 'node:os'
import { argv, pid, stdout } from 'node:process'
import { sampleEvent } from '@troupe/testkit/internal'
import { openSqliteStore } from '../../src/index.ts'
import { CLOCK } from './clock.ts'

/** Writes events to a root of its own as fast as it can, and prints the `seq` of each event that its listener receives, until it is killed or has received `count` events. */
const [, , path = '', rootRunId = '', count = 'Infinity'] = argv

const store = await openSqliteStore({
  path,
  clock: CLOCK,
  random: Math.random,
  writer: { token: `${pid}`, pid, host: hostname(), isAlive: () => true },
})
const log = await store.open(rootRunId, 'writer')
log.subscribe((event) => stdout.write(`${event.seq}\n`))
for (let written = 0; written < Number(count);) {
  const burst = 1 + Math.floor(Math.random() * 40)
  for (let index = 0; index < burst && written < Number(count); index += 1) {
    written += 1
    log.append({
      runId: 'run',
      event: sampleEvent('turn-start'),
      step: { key: `llm:${written}`, value: written },
    })
  }
  await log.waitForCommit()
}
await store.close()
