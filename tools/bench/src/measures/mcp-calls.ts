import assert from 'node:assert/strict'
import { cpuOf } from '../cpu.ts'
import type { Effort } from '../probe.ts'
import type { ToolHost } from '../subjects/tool-host.ts'

/** Calls for each ms of a budget. All subjects make as many: in the first seconds a call costs the less the more of them came before. */
const CALLS_PER_MS = 14

/** CPU µs of a call, of so many at once: that of `both` sides, or of the `client` alone; the server is another process. */
export async function measureMcpCalls(
  host: ToolHost,
  options: Effort & { readonly calls: number; readonly sides: 'both' | 'client' },
): Promise<number> {
  const { calls, sides, ...effort } = options
  const elsewhere = async (): Promise<number> => (sides === 'both' ? (await host.status()).cpu : 0)
  const wanted = Array.from({ length: calls }, () => 'ok')
  try {
    const { cpu } = await cpuOf(async () => assert.deepEqual(await host.call(calls), wanted), {
      ...effort,
      times: Math.ceil((effort.budgetMs * CALLS_PER_MS) / calls),
      elsewhere,
    })
    return cpu / calls
  } finally {
    await host.close()
  }
}
