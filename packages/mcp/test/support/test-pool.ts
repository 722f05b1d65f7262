import { fileURLToPath } from 'node:url'
import { PROCESS_GROUPS } from '@troupe/process'
import {
  resultText,
  type JsonObject,
  type McpServerConfig,
  type ToolContext,
  type ToolDefinition,
  type ToolResult,
} from '@troupe/schema'
import { onTestFinished } from 'vitest'
import { createMcpPool, type McpLease, type McpPool, type McpPoolOptions } from '../../src/index.ts'
import { realClock } from './real-clock.ts'

/** The folder of the test servers. */
export const SERVERS: string = fileURLToPath(new URL('../servers', import.meta.url))

/** Returns a pool that is closed after the test. Its servers are in process groups, so that the process ids they report are those of this machine. */
export function testPool(options: Partial<McpPoolOptions> = {}): McpPool {
  const pool = createMcpPool({
    client: { name: 'troupe-test', version: '0.0.0' },
    baseEnv: { PATH: process.env['PATH'], HOME: '/nowhere', SECRET_OF_THE_APP: 'leaked' },
    clock: realClock,
    containment: async () => PROCESS_GROUPS,
    // a slow start on a busy machine is not a fault
    startTimeout: 600_000,
    ...options,
  })
  onTestFinished(() => pool.close())
  return pool
}

/** Returns the definition of one of the test servers. */
export function nodeServer(file: string, ...args: readonly string[]): McpServerConfig {
  return { command: process.execPath, args: [file, ...args] }
}

/** Returns a lease with defaults for the options that most tests ignore. */
export function leaseOf(
  pool: McpPool,
  config: McpServerConfig,
  options: Partial<Parameters<McpPool['lease']>[0]> = {},
): Promise<McpLease> {
  return pool.lease({ server: 'tm', config, principal: 'me', folder: SERVERS, ...options })
}

/** Finds a tool by the name that the server gives it. */
export function toolNamed(lease: McpLease, name: string): ToolDefinition {
  const tool = lease.tools.find((candidate) => candidate.name === `${candidate.server}__${name}`)
  if (tool === undefined)
    throw new Error(`no tool ${name} among ${lease.tools.map((t) => t.name).join(', ')}`)
  return tool
}

/** Calls a tool as core does. */
export async function call(
  lease: McpLease,
  name: string,
  args: JsonObject = {},
  context: Partial<ToolContext> = {},
): Promise<ToolResult> {
  const result = await toolNamed(lease, name).execute(args, toolContext(context))
  return result as ToolResult
}

function toolContext(context: Partial<ToolContext>): ToolContext {
  return {
    attempt: 1,
    signal: new AbortController().signal,
    idempotencyKey: 'key',
    progress: () => undefined,
    ask: () => Promise.resolve({ answered: false, reason: 'no user is connected' }),
    ...context,
  } as ToolContext
}

/** Returns the report of a test server's `process` tool on its process. */
export async function processOf(
  lease: McpLease,
  tool = 'process',
): Promise<{ readonly pid: number; readonly cwd: string; readonly env: Readonly<Record<string, string>> }> {
  return JSON.parse(resultText(await call(lease, tool))) as never
}
