import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Beside `src` and beside `dist`: a program of plain JavaScript that Node starts as it is. */
const PROGRAM = fileURLToPath(new URL('../programs/fault-mcp/main.mjs', import.meta.url))

/** What the HTTP door of the fault server has seen. */
export interface FaultMcpStatus {
  readonly pid: number
  /** Connections that are open now. */
  readonly sockets: number
  readonly requests: number
  /** Requests that came by a redirect. */
  readonly followed: number
  /** Of the bodies that go on and on, how much was sent, in bytes as they travel. */
  readonly sentBytes: number
  /** How many of these were sent to their end. */
  readonly sentWhole: number
}

/** The fault server behind an address of this machine. */
export interface FaultMcpHttp {
  readonly url: string
  status(): Promise<FaultMcpStatus>
  /** Ends the process. */
  stop(): Promise<void>
}

/** How to start the MCP server that fails as it is told, on standard input and output. `fault`: from the start, such as `exit` or `hang`. */
export function faultMcpStdio(fault?: string): {
  readonly command: string
  readonly args: readonly string[]
} {
  return { command: process.execPath, args: [PROGRAM, 'stdio', ...(fault === undefined ? [] : [fault])] }
}

/** Starts the same server as a process that listens on 127.0.0.1. `fault`: what is wrong with every answer, such as `not_found`. */
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
