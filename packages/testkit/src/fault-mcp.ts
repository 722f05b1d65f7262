import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A plain JavaScript program next to `src` and `dist`, which Node runs without a build. */
const PROGRAM = fileURLToPath(new URL('../programs/fault-mcp/main.mjs', import.meta.url))

/** Counters of the fault server's HTTP endpoint. */
export interface FaultMcpStatus {
  readonly pid: number
  /** Open connections. */
  readonly sockets: number
  readonly requests: number
  /** Requests that followed a redirect. */
  readonly followed: number
  /** Bytes sent of the endless bodies, as transferred. */
  readonly sentBytes: number
  /** Number of endless bodies that were sent to their end. */
  readonly sentWhole: number
}

/** A fault server on the loopback interface. */
export interface FaultMcpHttp {
  readonly url: string
  status(): Promise<FaultMcpStatus>
  /** Ends the process. */
  stop(): Promise<void>
}

/**
 * Returns the command for a faulty MCP server on stdio. `fault` applies from the start, for example `exit` or
 * `hang`.
 */
export function faultMcpStdio(fault?: string): {
  readonly command: string
  readonly args: readonly string[]
} {
  return { command: process.execPath, args: [PROGRAM, 'stdio', ...(fault === undefined ? [] : [fault])] }
}

/**
 * Starts a faulty MCP server that listens on 127.0.0.1. `fault` applies to every response, for example
 * `not_found`.
 */
export async function startFaultMcpHttp(fault?: string): Promise<FaultMcpHttp> {
  const child = spawn(process.execPath, [PROGRAM, 'http', ...(fault === undefined ? [] : [fault])], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  const address = `http://127.0.0.1:${port.toString().trim()}`
  return {
    url: `${address}/mcp`,
    status: async () => (await (await fetch(`${address}/status`)).json()) as FaultMcpStatus,
    stop: () => stop(child),
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}
