import type { Effort, Probe } from './probe.ts'
import { startNode } from './start-node.ts'
import type { Workload } from './workloads.ts'

/** The two measurements of one round. */
export interface Pair {
  readonly ours: number
  /** None where the workload has no base. */
  readonly base?: number
}

/** One round of a workload: ours, then the base, each in a fresh process. Rejects when one of them did not do its work. */
export async function runWorkload({ ours, base }: Workload, effort: Effort): Promise<Pair> {
  const own = await sample(ours, effort)
  return base === undefined ? { ours: own } : { ours: own, base: await sample(base, effort) }
}

const FLAGS = ['--conditions=@troupe/source', '--expose-gc']

async function sample(probe: Probe, effort: Effort): Promise<number> {
  const args = [JSON.stringify(probe), JSON.stringify(effort)]
  const value = await startNode(new URL('./sample.ts', import.meta.url), { flags: FLAGS, args })
  return Number(value)
}
