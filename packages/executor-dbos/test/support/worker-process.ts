import module from 'node:module'
import { hostname } from 'node:os'
import { argv, exit, pid, stdout } from 'node:process'
import { randomUUID } from 'node:crypto'
import { systemClock } from '@troupe/core'
import { createHost } from '@troupe/host'
import { openOtlpTracer } from '@troupe/otel'
import type { JsonObject } from '@troupe/schema'
import { openPostgresStore } from '@troupe/store-postgres'
import { startWorker } from '../../src/index.ts'

/** Runs a worker on a folder of cards until it is killed. Prints `ready` when it takes runs. `config` is JSON. */
const [, , url = '', folder = '', slots = '16', config = 'false'] = argv

async function start(): Promise<void> {
  const store = await openPostgresStore({
    url,
    clock: systemClock,
    random: Math.random,
    writer: { token: randomUUID(), pid, host: hostname(), isAlive: () => true },
  })
  const tracer = await openOtlpTracer({ env: process.env })
  const host = await createHost({
    cards: ['.'],
    ...(tracer === undefined ? {} : { tracer }),
    config: JSON.parse(config) as JsonObject | false,
    cwd: folder,
    store,
    env: process.env,
  })
  await startWorker({
    id: `${pid}-${randomUUID()}`,
    store,
    url,
    runner: host,
    clock: systemClock,
    slots: Number(slots),
    process: { host: hostname(), pid },
    onLost: () => exit(70),
    onProblem: (runId, reason) => stdout.write(`${runId}: ${reason.code} ${reason.message}\n`),
  })
  stdout.write('ready\n')
  // as the program does, for the starts after a kill
  module.flushCompileCache()
}

start().catch((thrown: unknown) => {
  stdout.write(`failed: ${String(thrown)}\n`)
  exit(70)
})
