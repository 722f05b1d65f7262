import type { Effort } from './probe.ts'

/** CPU and wall time of one call, in µs: the mean of as many calls as the budget allows, garbage collection included. */
export interface CpuCost {
  readonly cpu: number
  readonly wall: number
}

/** How often a workload is repeated, and where else it takes CPU time. */
export interface Repeating extends Effort {
  /** So often, however long it takes. Default: for as long as the budget allows. */
  readonly times?: number
  /** CPU µs that another process has taken so far, which are added. */
  elsewhere?(): Promise<number>
}

/** Calls `fn` again and again: first unmeasured for half of the budget, then measured for all of it; at least twice each. */
export async function cpuOf(
  fn: () => Promise<void>,
  { budgetMs, times, elsewhere = async () => 0 }: Repeating,
): Promise<CpuCost> {
  await repeat(fn, { ms: budgetMs / 2, times: times === undefined ? undefined : times / 2 })
  globalThis.gc?.()
  const others = await elsewhere()
  const before = process.cpuUsage()
  const { calls, wallMs } = await repeat(fn, { ms: budgetMs, times })
  const { user, system } = process.cpuUsage(before)
  const cpu = user + system + (await elsewhere()) - others
  return { cpu: cpu / calls, wall: (wallMs * 1000) / calls }
}

/** CPU µs of one call, which begins with what came before it collected. */
export async function cpuOnce(fn: () => unknown): Promise<number> {
  globalThis.gc?.()
  const before = process.cpuUsage()
  await fn()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

async function repeat(
  fn: () => Promise<void>,
  { ms, times }: { readonly ms: number; readonly times: number | undefined },
): Promise<{ readonly calls: number; readonly wallMs: number }> {
  const startedAt = performance.now()
  let calls = 0
  const goesOn = (): boolean => (times === undefined ? performance.now() - startedAt < ms : calls < times)
  while (calls < 2 || goesOn()) {
    await fn()
    calls += 1
  }
  return { calls, wallMs: performance.now() - startedAt }
}
