/**
 * Measures runs on worker processes of the built command, on a PostgreSQL server of its own: connections, the load
 * of an idle worker, the cost of a run, and the throughput over several workers. Prints tables. Needs Linux and
 * `pnpm build`.
 */
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { systemClock } from '@troupe/core'
import { createDbosDispatcher } from '@troupe/executor-dbos'
import { createHost } from '@troupe/host'
import { openPostgresStore } from '@troupe/store-postgres'
import { createDatabase, startPostgres } from '@troupe/testkit/postgres'
import { median } from '../median.ts'
import { startWorker, stopProcesses } from './start-process.ts'

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, runs: { type: 'string', default: '200' } },
})
const ROUNDS = Number(options.rounds)
const RUNS = Number(options.runs)
const CHILDREN = 20
const IDLE_MS = 10_000

const folder = mkdtempSync(path.join(tmpdir(), 'troupe-workers-'))
const calls = Array.from(
  { length: CHILDREN },
  (_, index) => `{ tool: agent__clerk, args: { text: n${index} } }`,
)
const limits = `limits: { maxParallel: ${CHILDREN}, maxToolCallsPerTurn: ${CHILDREN} }`
writeCard('clerk', 'model: passthrough')
writeCard('lead', `model: script/script.yaml\nagents: [clerk]\n${limits}`)
writeFileSync(
  path.join(folder, 'script.yaml'),
  `agents:\n  lead:\n    - call: [${calls.join(', ')}]\n    - say: Done.\n`,
)

function writeCard(name: string, fields: string): void {
  const text = `---\nname: ${name}\ndescription: Works.\n${fields}\n---\nWork.\n`
  writeFileSync(path.join(folder, `${name}.md`), text)
}

const cluster = await startPostgres({ settings: { max_connections: '300' } })
try {
  const table = new Map<string, number[]>()
  for (let round = 0; round < ROUNDS; round += 1) await measureRound(table)
  console.log(`| figure | median of ${ROUNDS} | lowest | highest |\n|---|---|---|---|`)
  for (const [name, values] of table)
    console.log(
      `| ${name} | ${[median(values), Math.min(...values), Math.max(...values)].map(format).join(' | ')} |`,
    )
} finally {
  await cluster.stop()
  rmSync(folder, { recursive: true })
}

function format(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(2)
}

async function measureRound(table: Map<string, number[]>): Promise<void> {
  const database = await createDatabase(cluster.url)
  const store = await openPostgresStore({
    url: database.url,
    clock: systemClock,
    random: Math.random,
    writer: { token: randomUUID(), pid: process.pid, host: hostname(), isAlive: () => true },
  })
  const dispatcher = await createDbosDispatcher({ store, url: database.url, clock: systemClock })
  const host = await createHost({ cards: ['.'], cwd: folder, config: false, store, dispatcher })
  const workers: ChildProcess[] = []
  let notifications = 0
  for (const channel of ['troupe_events', 'troupe_tasks'])
    await store.listen(channel, () => {
      notifications += 1
    })
  const record = (name: string, value: number): void => {
    table.set(name, [...(table.get(name) ?? []), value])
  }
  const run = async (agent: string): Promise<number> => {
    const startedAt = performance.now()
    const { outcome } = await host.run(agent, 'Good morning')
    if (outcome !== 'completed') throw new Error(`A run of ${agent} ended as ${outcome}.`)
    return performance.now() - startedAt
  }

  /** Returns counters of the database and of all processes that take part. */
  async function readCounters() {
    const [row] = await store.query<{ commits: string; bytes: string; wal: string }>(
      `SELECT xact_commit AS commits, pg_database_size(current_database()) AS bytes,
         pg_current_wal_lsn() - '0/0' AS wal FROM pg_stat_database WHERE datname = current_database()`,
    )
    const backends = await store.query<{ pid: number }>('SELECT pid FROM pg_stat_activity')
    return {
      commits: Number(row?.commits),
      bytes: Number(row?.bytes),
      wal: Number(row?.wal),
      backendMs: backends.reduce((sum, { pid }) => sum + cpuOf(pid), 0),
      workerMs: workers.reduce((sum, { pid = 0 }) => sum + cpuOf(pid), 0),
    }
  }

  async function measure<T>(work: () => Promise<T>) {
    // Backends report their counters to PostgreSQL once per second.
    await sleep(1200)
    const [before, startedAt] = [await readCounters(), performance.now()]
    const value = await work()
    const seconds = (performance.now() - startedAt) / 1000
    await sleep(1200)
    const after = await readCounters()
    const difference = (key: keyof typeof before): number => after[key] - before[key]
    return { value, seconds, elapsed: seconds + 1.2, difference }
  }

  try {
    const idle = new Map<
      number,
      { readonly commits: number; readonly workerMs: number; readonly backendMs: number }
    >()
    for (const count of [1, 2, 4]) {
      while (workers.length < count) workers.push(await startWorker(database.url, folder))
      const { difference, elapsed } = await measure(() => sleep(IDLE_MS))
      const perSecond = (key: 'commits' | 'workerMs' | 'backendMs'): number => difference(key) / elapsed
      const idleLoad = {
        commits: perSecond('commits'),
        workerMs: perSecond('workerMs'),
        backendMs: perSecond('backendMs'),
      }
      idle.set(count, idleLoad)
      record(`transactions per second, idle, number of workers: ${count}`, idleLoad.commits)
      if (count === 1) {
        record('CPU of an idle worker, ms per second', idleLoad.workerMs)
        record('CPU of PostgreSQL for an idle worker, ms per second', idleLoad.backendMs)
        await run('clerk')
        const latencies: number[] = []
        for (let index = 0; index < 30; index += 1) latencies.push(await run('clerk'))
        record('time of a run without model time, one at a time, ms', median(latencies))
      }
      const inFlight = 32
      let left = RUNS
      const notificationsBefore = notifications
      const {
        seconds,
        elapsed: busy,
        difference: used,
      } = await measure(async () => {
        await Promise.all(
          Array.from({ length: inFlight }, async () => {
            while (left > 0) {
              left -= 1
              await run('clerk')
            }
          }),
        )
      })
      record(`runs per second, ${inFlight} at a time, number of workers: ${count}`, RUNS / seconds)
      if (count === 1) {
        record('notifications per run', (notifications - notificationsBefore) / RUNS)
        record('transactions per run', (used('commits') - idleLoad.commits * busy) / RUNS)
        record('CPU of the worker per run, ms', used('workerMs') / RUNS)
        record('CPU of PostgreSQL per run, ms', used('backendMs') / RUNS)
        record('write-ahead log per run, kB', used('wal') / RUNS / 1000)
        record('size in the database per run, kB', used('bytes') / RUNS / 1000)
        const [connections] = await store.query<{ count: string }>(
          `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
        )
        record('connections of one worker and one server after this load', Number(connections?.count) + 1)
        const tree = await measure(() => run('lead'))
        record(`time of a run with ${CHILDREN} children, ms`, tree.seconds * 1000)
      }
    }
  } finally {
    await stopProcesses(workers)
    await host.close()
    await database.drop()
  }
}

/** Returns the CPU time in ms that a process has used; 0 if it has ended. */
function cpuOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /u, '')
      .split(' ')
    // user and system time, in hundredths of a second
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return 0
  }
}
