import { openSession, systemClock } from '@troupe/core'
import { createMcpPool, type McpLease, type McpPool } from '@troupe/mcp'
import type { ToolHook, ToolLister } from '@troupe/schema'
import { createValidator } from '@troupe/tools'
import { callingModel } from '../models.ts'
import { toolServerCommand } from '../servers/tool-server-command.ts'
import { REWRITE_TOOL, STATUS_TOOL, type ServerStatus } from '../servers/tool-server-status.ts'
import { INPUT, INSTRUCTION, TOOL, type Run } from './subject.ts'
import type { ToolHost } from './tool-host.ts'

const SERVER = 'bench'
const AT_ONCE = 100

const validate = createValidator()

/** Sessions with hooks and listeners, whose tools come from one pool. */
export function ownTools(tools: number): ToolHost {
  const { pool, lease } = openPool(tools)
  const lister: ToolLister = { list: async () => (await lease()).tools }
  let heard = 0
  const caller = (tool: string, count: number): Run =>
    agentOf(tool, count, {
      lister,
      hooks: [passThrough, passThrough, passThrough],
      onEvent: (event) => (heard += event.type.length),
    })
  const callers = new Map<number, Run>()
  const rewriter = caller(REWRITE_TOOL, 1)
  const asker = caller(STATUS_TOOL, 1)
  return {
    async call(count) {
      const run = callers.get(count) ?? caller(TOOL, count)
      callers.set(count, run)
      return (await run()).split('\n')
    },
    status: async () => JSON.parse(await asker()) as ServerStatus,
    rewrite: async () => void (await rewriter()),
    async list() {
      const { tools: listed, release } = await lease()
      await release()
      return listed.map(({ description }) => description)
    },
    close: () => pool.close(),
  }
}

/** So many sessions on a server that is not running yet, each with the tools of its own lease; then, once for all, what the server says of itself. */
export async function connectSessions(
  sessions: number,
): Promise<{ status(): Promise<ServerStatus>; close(): Promise<void> }> {
  const { pool, lease } = openPool(0)
  const leases = await Promise.all(Array.from({ length: sessions }, lease))
  const lister: ToolLister = { list: async () => leases[0]?.tools ?? [] }
  return {
    status: async () => JSON.parse(await agentOf(STATUS_TOOL, 1, { lister })()) as ServerStatus,
    async close() {
      for (const { release } of leases) await release()
      await pool.close()
    },
  }
}

/** The same, where each session also makes a call: what the server said of itself to each. */
export async function callFromSessions(
  sessions: number,
): Promise<{ readonly said: readonly ServerStatus[]; close(): Promise<void> }> {
  const { pool, lease } = openPool(0)
  const lister: ToolLister = { list: async () => (await lease()).tools }
  const runs = Array.from({ length: sessions }, () => agentOf(STATUS_TOOL, 1, { lister })())
  const texts = await Promise.all(runs)
  return { said: texts.map((text) => JSON.parse(text) as ServerStatus), close: () => pool.close() }
}

function openPool(tools: number): { readonly pool: McpPool; lease(): Promise<McpLease> } {
  const pool = createMcpPool({
    client: { name: 'bench', version: '1.0.0' },
    baseEnv: process.env,
    clock: systemClock,
    validate,
  })
  const config = { ...toolServerCommand(tools), maxParallel: AT_ONCE }
  return { pool, lease: () => pool.lease({ server: SERVER, config, principal: 'bench', folder: '/' }) }
}

const passThrough: ToolHook = (_ctx, args, callNext) => callNext(args)

function agentOf(
  tool: string,
  calls: number,
  {
    lister,
    ...options
  }: Pick<Parameters<typeof openSession>[0], 'hooks' | 'onEvent'> & { readonly lister: ToolLister },
): Run {
  const session = openSession({
    agent: { name: 'root', instruction: INSTRUCTION },
    model: callingModel(`${SERVER}__${tool}`, calls),
    toolListers: [lister],
    validate,
    limits: { maxToolCallsPerTurn: AT_ONCE, maxParallel: AT_ONCE },
    ...options,
  })
  return async () => {
    const result = await session.run(INPUT)
    if (result.failure !== undefined) throw new TypeError(result.failure.message)
    return result.text
  }
}
