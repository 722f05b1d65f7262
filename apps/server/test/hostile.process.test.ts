import { recordFigures } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { HOSTILE_MCP_CASES } from './support/hostile/mcp-cases.ts'
import { HOSTILE_REQUEST_CASES, type HostileRequestCase } from './support/hostile/request-cases.ts'
import type { HostileNews } from './support/hostile/serve-hostile.ts'
import { seededRandom } from './support/load/seeded-random.ts'
import { startProcess, type StartedProcess } from './support/load/start-process.ts'

/** CI runs a sample; `pnpm soak` sends everything and enforces the threshold. */
const IS_SOAK = process.env['HOSTILE_CORPUS'] === 'all'
const SEED = Number(process.env['HOSTILE_SEED'] ?? 1)
const SAMPLE = 12
const MIB = 1024 * 1024
/** The most CPU time of the main thread in one turn of the event loop, which excludes other load on the machine. Lenient for the sample. */
const MOST_CPU_MS = IS_SOAK ? 250 : 1000
const MOST_GROWTH_MIB = 256
const TRIES = 3

interface Measured {
  readonly name: string
  readonly status: number
  readonly cpu: number
  readonly wall: number
  readonly growth: number
}

describe('hostile input of an allowed size', () => {
  it(
    'hostile requests neither block the event loop for 250 ms nor take 256 MiB, and the server keeps working',
    { timeout: 1_800_000 },
    async ({ task }) => {
      const server = startProcess<HostileNews>('../hostile/serve-hostile.ts')
      const { url } = await server.next()
      const measured: Measured[] = []
      for (const each of sampleOf(HOSTILE_REQUEST_CASES)) {
        expect(each.body().length).toBeLessThanOrEqual(MIB)
        measured.push(await leastOf(() => send(server, url, each)))
      }
      judge(measured)
      expect((await fetch(`${url}/v1/Parrot?q=hi`)).status).toBe(200)
      recordFigures(task, { 'hostile requests': measured.length })
    },
  )

  it(
    'hostile MCP results neither block the event loop for 250 ms nor take 256 MiB, and the run continues',
    { timeout: 1_800_000 },
    async ({ task }) => {
      const cases = sampleOf(HOSTILE_MCP_CASES)
      const server = startProcess<HostileNews>(
        '../hostile/serve-hostile.ts',
        cases.map(({ name }) => name),
      )
      const { url } = await server.next()
      const measured: Measured[] = []
      for (const [index, { name }] of cases.entries())
        measured.push(await leastOf(() => send(server, url, call(`Caller${index}`, name))))
      judge(measured)
      expect((await fetch(`${url}/v1/Parrot?q=hi`)).status).toBe(200)
      recordFigures(task, { 'hostile results of MCP servers': measured.length })
    },
  )
})

function call(agent: string, name: string): HostileRequestCase {
  return { name, path: `/v1/${agent}`, body: () => '{"q":"hi"}' }
}

function sampleOf<T>(cases: readonly T[]): readonly T[] {
  if (IS_SOAK) return cases
  const random = seededRandom(SEED)
  return cases
    .map((each) => [random(), each] as const)
    .toSorted(([one], [other]) => one - other)
    .slice(0, SAMPLE)
    .map(([, each]) => each)
}

/** Returns the smallest of several measurements, which excludes the time for compilation and garbage collection. */
async function leastOf(measure: () => Promise<Measured>): Promise<Measured> {
  let least = await measure()
  for (let tries = 1; tries < TRIES && least.cpu > MOST_CPU_MS; tries += 1) {
    const again = await measure()
    if (again.cpu < least.cpu) least = again
  }
  return least
}

async function send(
  server: StartedProcess<HostileNews>,
  url: string,
  { name, path, body }: HostileRequestCase,
): Promise<Measured> {
  const text = body()
  const { rss: before } = await ask(server)
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream, */*',
      'a2a-version': '1.0',
      'anthropic-version': '2023-06-01',
    },
    body: text,
  })
  await response.arrayBuffer()
  const { cpu, wall, peak } = await ask(server)
  return { name, status: response.status, cpu, wall, growth: peak - before }
}

async function ask(server: StartedProcess<HostileNews>): Promise<HostileNews> {
  const news = server.next()
  server.tell('measure')
  return news
}

function judge(measured: readonly Measured[]): void {
  const longest = measured.toSorted((one, other) => other.cpu - one.cpu)
  const growth = Math.max(...measured.map((each) => each.growth))
  console.info(
    `seed ${SEED}: ${measured.length} cases; longest turn of the event loop ${shown(longest[0])} (at most 250); most memory +${Math.round(growth)} MiB (at most ${MOST_GROWTH_MIB}); next: ${longest.slice(1, 6).map(shown).join('; ')}`,
  )
  expect(longest.filter(({ cpu }) => cpu > MOST_CPU_MS)).toEqual([])
  expect(measured.filter((each) => each.growth > MOST_GROWTH_MIB)).toEqual([])
  expect(measured.filter(({ status }) => status === 500)).toEqual([])
}

function shown(measured: Measured | undefined): string {
  if (measured === undefined) return 'none'
  const { name, cpu, wall, status } = measured
  return `${Math.round(cpu)} ms of CPU, ${Math.round(wall)} ms in all (${name}, ${status})`
}
