// A server in a process of its own. `Parrot` repeats its input; `Caller<n>` calls the tool of an MCP server that plays the case named by argument n.
// Measures the CPU time of its main thread between two turns of the event loop, which excludes other load on the machine, and its memory.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHost } from '@troupe/host'
import { defineAgent } from '@troupe/schema'
import { openSqliteStore } from '@troupe/store'
import { scriptedModel } from '@troupe/testkit'
import { SYSTEM_CLOCK } from '@troupe/testkit/teams'
import { createServer } from '../../../src/index.ts'

/** Measurements since the previous message. */
export interface HostileNews {
  readonly url: string
  /** The most CPU time of one turn of the event loop, in ms. */
  readonly cpu: number
  /** The longest turn in wall time, in ms. */
  readonly wall: number
  /** Resident memory now and at its peak, in MiB. */
  readonly rss: number
  readonly peak: number
}

const MIB = 1024 * 1024
const mcpCases = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'troupe-hostile-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const clock = SYSTEM_CLOCK
const writer = { token: randomUUID(), pid: process.pid, host: 'here', isAlive: () => true }
const store = await openSqliteStore({ path: join(folder, 'runs.db'), clock, random: Math.random, writer })
const parrot = defineAgent({
  name: 'Parrot',
  description: 'Repeats.',
  instruction: 'Repeat.',
  model: 'passthrough',
})
const callers = mcpCases.map((_, index) =>
  defineAgent({
    name: `Caller${index}`,
    description: 'Calls a tool.',
    instruction: 'Call it.',
    model: 'test/caller',
    servers: [`hostile${index}`],
  }),
)
const program = join(import.meta.dirname, 'mcp-server.ts')
const host = await createHost({
  cards: [parrot, ...callers],
  config: {
    mcpServers: Object.fromEntries(
      mcpCases.map((name, index) => [
        `hostile${index}`,
        { command: process.execPath, args: ['--conditions=@troupe/source', program, name] },
      ]),
    ),
  },
  cwd: folder,
  store,
  models: {
    'test/caller': scriptedModel((prompt, { tools }) =>
      prompt.some(({ role }) => role === 'tool')
        ? { text: 'Done.' }
        : { calls: [{ tool: tools.find((name) => name.endsWith('__act')) ?? 'missing' }] },
    ),
  },
})
const server = await createServer({ host, store, port: 0, clock, newId: randomUUID })

const most = { cpu: 0, wall: 0, peak: 0 }
let turn = { cpu: process.threadCpuUsage(), at: performance.now() }
const measure = (): void => {
  const now = { cpu: process.threadCpuUsage(), at: performance.now() }
  const cpu = (now.cpu.user + now.cpu.system - turn.cpu.user - turn.cpu.system) / 1000
  most.cpu = Math.max(most.cpu, cpu)
  most.wall = Math.max(most.wall, now.at - turn.at)
  most.peak = Math.max(most.peak, process.memoryUsage.rss())
  turn = { cpu: process.threadCpuUsage(), at: performance.now() }
}
setInterval(measure, 5).unref()

const tell = (): void => {
  measure()
  const news = {
    url: server.url,
    cpu: most.cpu,
    wall: most.wall,
    rss: process.memoryUsage.rss() / MIB,
    peak: most.peak / MIB,
  }
  process.send?.(news satisfies HostileNews)
  Object.assign(most, { cpu: 0, wall: 0, peak: 0 })
}
process.on('message', tell)
process.on('disconnect', () => process.exit())
tell()
