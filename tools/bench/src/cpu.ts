/** Ratio of the warm-up to the measured time. On a slow machine V8 still compiles for seconds. */
const WARM_UP = 3

/** Calls `run` repeatedly and returns the CPU time of one call in µs, garbage collection included. */
export async function cpuPerCall(run: () => Promise<void>, budgetMs: number): Promise<number> {
  await repeat(run, budgetMs * WARM_UP)
  globalThis.gc?.()
  const before = process.cpuUsage()
  const calls = await repeat(run, budgetMs)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / calls
}

async function repeat(run: () => Promise<void>, ms: number): Promise<number> {
  const startedAt = performance.now()
  let calls = 0
  do {
    await run()
    calls += 1
  } while (performance.now() - startedAt < ms)
  return calls
}
