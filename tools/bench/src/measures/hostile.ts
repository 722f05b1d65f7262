import { HOSTILE_SCHEMAS, HOSTILE_TEXTS, type HostileKind } from '@troupe/testkit'
import { cpuOnce } from '../cpu.ts'
import { checkHostile, HOSTILE_READERS } from '../subjects/hostile-readers.ts'

const TIMES = 3

/** CPU µs of the slowest of all hostile inputs: of each the median of some readings. What it was goes to stderr. */
export async function measureHostile(): Promise<number> {
  const slowest = { name: '', time: 0 }
  for (const { name, read } of readings()) {
    const time = await medianTime(read)
    if (time > slowest.time) Object.assign(slowest, { name, time })
  }
  process.stderr.write(`slowest: ${slowest.name}\n`)
  return slowest.time
}

interface Reading {
  readonly name: string
  read(): unknown
}

function readings(): readonly Reading[] {
  const kinds = Object.keys(HOSTILE_TEXTS) as readonly HostileKind[]
  const texts = kinds.flatMap((kind) =>
    HOSTILE_TEXTS[kind].map(({ name, text }) => ({
      name: `${kind}: ${name}`,
      read: () => HOSTILE_READERS[kind](text),
    })),
  )
  const schemas = HOSTILE_SCHEMAS.map((each) => ({
    name: `schema: ${each.name}`,
    read: () => checkHostile(each),
  }))
  return [...texts, ...schemas]
}

async function medianTime(read: () => unknown): Promise<number> {
  const times: number[] = []
  for (let time = 0; time < TIMES; time += 1) {
    times.push(await cpuOnce(read))
  }
  return times.toSorted((a, b) => a - b)[Math.floor(TIMES / 2)] ?? 0
}
