/**
 * Measures one parent with many children that answer at once: in this process, on worker processes of the built
 * command, and written directly on DBOS and BullMQ. Prints a table. Needs `pnpm build`; without `redis-server`,
 * BullMQ is not measured.
 */
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { ChildProcess } from 'node:child_process'
import { systemClock } from '@troupe/core'
import { createDbosDispatcher } from '@troupe/executor-dbos'
import { createHost, type Host, type HostOptions } from '@troupe/host'
import type { RunEvent } from '@troupe/schema'
import { openSqliteStore } from '@troupe/store'
import { openPostgresStore } from '@troupe/store-postgres'
import { createDatabase, startPostgres } from '@troupe/testkit/postgres'
import { median } from '../median.ts'
import { createTempFolder } from '../temp-folder.ts'
import { openBullmqPeer } from './peers/bullmq-peer.ts'
import { openDbosPeer } from './peers/dbos-peer.ts'
import type { FanOutPeer } from './peers/fan-out-peer.ts'
import { startRedis } from './peers/redis-server.ts'
import { startWorker, stopProcesses } from './start-process.ts'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    children: { type: 'string', default: '1000' },
    workers: { type: 'string', default: '1,2,4' },
  },
})
const ROUNDS = Number(options.rounds)
const CHILDREN = Number(options.children)
const WORKERS = options.workers.split(',').map(Number)

const folder = createTempFolder()
writeTeam()
const cluster = await startPostgres({ settings: { max_connections: '300' } })
const redis = await startRedis()
const table = new Map<string, number[]>()
try {
  for (let round = 0; round < ROUNDS; round += 1) {
    await measureInProcess()
    await measureWorkers()
    const database = await createDatabase(cluster.url)
    await measurePeer(await openDbosPeer(database.url))
    await database.drop()
    if (redis !== undefined) await measurePeer(await openBullmqPeer(redis.url))
  }
  console.log(`| ${CHILDREN} children | median of ${ROUNDS} | lowest | highest |\n|---|---|---|---|`)
  for (const [name, values] of table)
    console.log(
      `| ${name} | ${[median(values), Math.min(...values), Math.max(...values)].map(format).join(' | ')} |`,
    )
  if (redis === undefined) console.log('NOT RUN: BullMQ (redis-server is missing)')
} finally {
  await cluster.stop()
  await redis?.stop()
  folder.remove()
}

function writeTeam(): void {
  const calls = Array.from(
    { length: CHILDREN },
    (_, index) => `{ tool: agent__clerk, args: { text: n${index} } }`,
  )
  const sleepers = calls.map((call) => call.replace('clerk', 'sleeper'))
  const limits = `limits: { maxParallel: ${CHILDREN}, maxToolCallsPerTurn: ${CHILDREN}, maxRuns: ${CHILDREN + 1} }`
  const script = [
    'agents:',
    `  lead:\n    - call: [${calls.join(', ')}]\n    - say: "{{results.0.text}}"`,
    `  manager:\n    - call: [${sleepers.join(', ')}]\n    - say: Done.`,
    '  sleeper:\n    - { delay: 600s, say: Late. }',
    '',
  ]
  const cards = {
    clerk: 'model: passthrough',
    sleeper: 'model: script/script.yaml',
    lead: `model: script/script.yaml\nagents: [clerk]\n${limits}`,
    manager: `model: script/script.yaml\nagents: [sleeper]\n${limits}`,
  }
  writeFileSync(path.join(folder.path, 'script.yaml'), script.join('\n'))
  for (const [name, fields] of Object.entries(cards))
    writeFileSync(
      path.join(folder.path, `${name}.md`),
      `---\nname: ${name}\ndescription: Works.\n${fields}\n---\nWork.\n`,
    )
}

function format(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(2)
}

function record(name: string, value: number): void {
  table.set(name, [...(table.get(name) ?? []), value])
}

function openHost(rest: Partial<HostOptions>): Promise<Host> {
  return createHost({ cards: ['.'], cwd: folder.path, config: false, ...rest })
}

async function measureInProcess(): Promise<void> {
  const files = createTempFolder()
  const store = await openSqliteStore({
    path: path.join(files.path, 'runs.db'),
    clock: systemClock,
    random: Math.random,
    writer: newWriter(),
  })
  const host = await openHost({ store })
  try {
    await measureTroupe(host, 'in this process with SQLite')
  } finally {
    await host.close()
    files.remove()
  }
}

async function measureWorkers(): Promise<void> {
  const database = await createDatabase(cluster.url)
  const { url } = database
  const store = await openPostgresStore({ url, clock: systemClock, random: Math.random, writer: newWriter() })
  const dispatcher = await createDbosDispatcher({ store, url, clock: systemClock })
  const host = await openHost({ store, dispatcher })
  const workers: ChildProcess[] = []
  try {
    for (const count of WORKERS) {
      while (workers.length < count) workers.push(await startWorker(url, folder.path))
      await measureTroupe(host, `number of workers: ${count}`)
    }
  } finally {
    await stopProcesses(workers)
    await host.close()
    await database.drop()
  }
}

function newWriter() {
  return { token: randomUUID(), pid: process.pid, host: hostname(), isAlive: () => true }
}

/** Measures a fan-out after a short one, how late the events of its children arrive, and a cancellation. */
async function measureTroupe(host: Host, place: string): Promise<void> {
  await host.run('clerk', 'warm-up')
  const delays: number[] = []
  const onEvent = (event: RunEvent): void => {
    if (event.parentRunId !== undefined) delays.push(Date.now() - event.time)
  }
  const startedAt = performance.now()
  const { outcome } = await host.run('lead', 'Good morning', { onEvent, deltas: false })
  if (outcome !== 'completed') throw new Error(`The fan-out (${place}) ended as ${outcome}.`)
  record(`time per child, ms, ${place}`, (performance.now() - startedAt) / CHILDREN)
  record(
    `delay of the events of children, 95th percentile, ms, ${place}`,
    delays.toSorted((one, other) => one - other)[Math.floor(delays.length * 0.95)] ?? Number.NaN,
  )
  const controller = new AbortController()
  let started = 0
  const allStarted = Promise.withResolvers<void>()
  const run = host.run('manager', 'Good morning', {
    signal: controller.signal,
    deltas: false,
    onEvent: ({ type, parentRunId }) => {
      if (type !== 'run-start' || parentRunId === undefined) return
      started += 1
      // with workers, the others wait in the queue
      if (started === 16) allStarted.resolve()
    },
  })
  await Promise.race([allStarted.promise, run])
  await sleep(2000)
  const cancelledAt = performance.now()
  controller.abort()
  const report = await run
  if (report.outcome !== 'cancelled') throw new Error(`The cancelled run ended as ${report.outcome}.`)
  record(`cancellation of the tree, ms, ${place}`, performance.now() - cancelledAt)
}

async function measurePeer(peer: FanOutPeer): Promise<void> {
  const workers: ChildProcess[] = []
  try {
    for (const count of WORKERS) {
      while (workers.length < count) workers.push(await peer.startWorker())
      await peer.fanOut(1)
      const startedAt = performance.now()
      const answers = await peer.fanOut(CHILDREN)
      const elapsed = performance.now() - startedAt
      if (new Set(answers).size !== CHILDREN) throw new Error(`${peer.name} lost children.`)
      record(`time per child, ms, ${peer.name}, number of workers: ${count}`, elapsed / CHILDREN)
    }
  } finally {
    await stopProcesses(workers)
    await peer.close()
  }
}
