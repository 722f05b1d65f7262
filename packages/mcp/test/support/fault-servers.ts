import type { McpServerConfig } from '@troupe/schema'
import { faultMcpStdio, startFaultMcpHttp, type FaultMcpHttp } from '@troupe/testkit'
import { onTestFinished } from 'vitest'

/** How a fault server is reached. */
export const TRANSPORTS = ['stdio', 'http'] as const

/** See {@link TRANSPORTS}. */
export type TransportName = (typeof TRANSPORTS)[number]

/** The definition of a fault server; one behind an address runs until the test ends. */
export async function faultServer(transport: TransportName, fault?: string): Promise<McpServerConfig> {
  return transport === 'stdio' ? faultMcpStdio(fault) : { url: (await faultHttp(fault)).url }
}

/** A fault server behind an address, which ends with the test. */
export async function faultHttp(fault?: string): Promise<FaultMcpHttp> {
  const server = await startFaultMcpHttp(fault)
  onTestFinished(() => server.stop())
  return server
}
