import { existsSync } from 'node:fs'
import { median } from '../median.ts'
import type { SubjectName } from '../probe.ts'
import { startNode } from '../start-node.ts'

/** Cheap, and the noisiest of all: several processes make one sample. */
const STARTS = 5
const SOURCE = '--conditions=@troupe/source'
/** Core and what it loads. */
const BUILT = ['schema', 'env', 'hooks', 'core']

interface Start {
  readonly cpu: number
  readonly rss: number
}

/** CPU µs, or resident bytes, from the start of a process to the end of its first run, less those of a process that does nothing. */
export async function measureCold(subject: SubjectName, what: keyof Start): Promise<number> {
  const flags = isBuilt() ? [] : [SOURCE]
  const costs: number[] = []
  for (let index = 0; index < STARTS; index++) {
    const bare = await start('bare', flags)
    const whole = await start(subject, flags)
    costs.push(whole[what] - bare[what])
  }
  return median(costs)
}

/** True when core and what it loads have been built; the bench then starts what is published. */
export function isBuilt(): boolean {
  return BUILT.every((name) =>
    existsSync(new URL(`../../../../packages/${name}/dist/index.js`, import.meta.url)),
  )
}

async function start(name: string, flags: readonly string[]): Promise<Start> {
  return (await startNode(new URL(`../cold/${name}.js`, import.meta.url), { flags })) as Start
}
