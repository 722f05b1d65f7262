import type { McpServerConfig } from '@troupe/schema'
import { faultMcpStdio, startFaultMcpHttp, type FaultMcpHttp } from '@troupe/testkit/internal'
import { onTestFinished } from 'vitest'

/** The transports of a fault server. */
export const TRANSPORTS = ['stdio', 'http'] as const

/** See {@link TRANSPORTS}. */
export type TransportName = (typeof TRANSPORTS)[number]

/** Returns the definition of a fault server; one over HTTP runs until the test ends. */
export async function faultServer(transport: TransportName, fault?: string): Promise<McpServerConfig> {
  return transport === 'stdio' ? faultMcpStdio(fault) : { url: (await faultHttp(fault)).url }
}

/** Starts a fault server over HTTP that ends with the test. */
export async function faultHttp(fault?: string): Promise<FaultMcpHttp> {
  const server = await startFaultMcpHttp(fault)
  onTestFinished(() => server.stop())
  return server
}
