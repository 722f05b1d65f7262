// A server in a process of its own: `Busy` runs for some seconds, `Parrot` repeats its input. Sends its address to the process that forked it, and its
// memory use in reply to every message; ends with that process.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHost } from '@troupe/host'
import { defineAgent } from '@troupe/schema'
import { openSqliteStore } from '@troupe/store'
import { createServer } from '../../../src/index.ts'
import { SYSTEM_CLOCK } from '@troupe/testkit/teams'
import { busyAgent } from './busy-agent.ts'

/** The state of a server under load. */
export interface ServerNews {
  readonly url: string
  /** Resident memory in bytes, and its peak since the previous message. */
  readonly rss: number
  readonly peak: number
  /** CPU time of its process so far, in ms. */
  readonly cpu: number
  /** Errors outside of answers. */
  readonly errors: readonly string[]
}

const folder = mkdtempSync(join(tmpdir(), 'troupe-load-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const writer = { token: randomUUID(), pid: process.pid, host: 'here', isAlive: () => true }
const clock = SYSTEM_CLOCK
const store = await openSqliteStore({ path: join(folder, 'runs.db'), clock, random: Math.random, writer })
const { agent, model } = busyAgent(Number(process.argv[2]))
const parrot = defineAgent({
  name: 'Parrot',
  description: 'Repeats.',
  instruction: 'Repeat.',
  model: 'passthrough',
})
const host = await createHost({
  cards: [agent, parrot],
  config: false,
  cwd: folder,
  store,
  models: { 'test/busy': model },
})
const errors: string[] = []
const server = await createServer({
  host,
  store,
  port: 0,
  clock,
  newId: randomUUID,
  limits: { maxRuns: 8, maxQueue: 32 },
  onError: (thrown) => void errors.push(String(thrown)),
})

let peak = 0
const measure = (): number => {
  const { rss } = process.memoryUsage()
  peak = Math.max(peak, rss)
  return rss
}
setInterval(measure, 100).unref()

const tell = (): void => {
  const rss = measure()
  const { user, system } = process.cpuUsage()
  process.send?.({ url: server.url, rss, peak, cpu: (user + system) / 1000, errors } satisfies ServerNews)
  peak = rss
}
process.on('message', tell)
process.on('disconnect', () => process.exit())
tell()
