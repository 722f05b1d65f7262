import assert from 'node:assert/strict'
import { cpuOf } from '../cpu.ts'
import type { Effort } from '../probe.ts'
import type { ToolHost } from '../subjects/tool-host.ts'

/** CPU µs of our side of a call, of so many at once; the server is another process. */
export async function measureMcpCalls(
  host: ToolHost,
  options: Effort & { readonly calls: number },
): Promise<number> {
  const { calls } = options
  const wanted = Array.from({ length: calls }, () => 'ok')
  try {
    const { cpu } = await cpuOf(async () => assert.deepEqual(await host.call(calls), wanted), options)
    return cpu / calls
  } finally {
    await host.close()
  }
}
