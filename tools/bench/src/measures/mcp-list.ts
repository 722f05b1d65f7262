import assert from 'node:assert/strict'
import type { Effort } from '../probe.ts'
import type { ToolHost } from '../subjects/tool-host.ts'

/** CPU µs of our side to read a list of so many tools, each with an output schema, all of them changed since the last one. */
export async function measureMcpList(
  host: ToolHost,
  { tools, budgetMs }: Effort & { readonly tools: number },
): Promise<number> {
  let version = 0
  const listOnce = async (): Promise<number> => {
    await host.rewrite()
    version += 1
    const before = process.cpuUsage()
    const descriptions = await host.list()
    const { user, system } = process.cpuUsage(before)
    assert.ok(descriptions.length > tools, 'tools of the list')
    for (const text of descriptions) assert.match(text, new RegExp(`Version ${version}\\.$`, 'u'))
    return user + system
  }
  try {
    await listOnce()
    const costs: number[] = []
    const end = performance.now() + budgetMs
    while (costs.length < 2 || performance.now() < end) costs.push(await listOnce())
    return costs.reduce((sum, cost) => sum + cost, 0) / costs.length
  } finally {
    await host.close()
  }
}
