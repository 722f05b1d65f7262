import type { Effort } from './probe.ts'

/** CPU and wall time of one call, in µs: the mean of as many calls as the budget allows, garbage collection included. */
export interface CpuCost {
  readonly cpu: number
  readonly wall: number
}

/**
 * Calls `fn` again and again: first unmeasured for half of the budget, then measured for all of it; at least twice each. `elsewhere` tells the
 * CPU µs that another process has taken so far, which are added.
 */
export async function cpuOf(
  fn: () => Promise<void>,
  { budgetMs, elsewhere = async () => 0 }: Effort & { readonly elsewhere?: () => Promise<number> },
): Promise<CpuCost> {
  await repeat(fn, budgetMs / 2)
  globalThis.gc?.()
  const others = await elsewhere()
  const before = process.cpuUsage()
  const { calls, wallMs } = await repeat(fn, budgetMs)
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
  budgetMs: number,
): Promise<{ readonly calls: number; readonly wallMs: number }> {
  const startedAt = performance.now()
  let calls = 0
  while (calls < 2 || performance.now() - startedAt < budgetMs) {
    await fn()
    calls += 1
  }
  return { calls, wallMs: performance.now() - startedAt }
}
