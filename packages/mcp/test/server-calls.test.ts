import { failure, resultText, toolResult, type Json, type ToolContext, type ToolResult } from '@troupe/schema'
import { deferred, settle } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import type { ConnectionCallResult, McpConnection } from '../src/connection/connection.ts'
import { createServerCalls } from '../src/pool/server-calls.ts'
import { readServerTool, type ServerTool } from '../src/tools/server-tool.ts'

const LATE = failure('tool_timeout', 'too late')

function tool(annotations: object = {}): ServerTool {
  const read = readServerTool({ name: 'act', inputSchema: { type: 'object' }, annotations })
  if (read.tool === undefined) throw new TypeError(read.remark)
  return read.tool
}

function context(signal: AbortSignal = new AbortController().signal): ToolContext {
  return { signal } as ToolContext
}

/** Returns a connection whose calls the test answers, and a list of its events. */
function scripted(answers: (() => ToolResult | Promise<ToolResult>)[]): {
  readonly connection: McpConnection
  readonly log: string[]
  readonly warnings: string[]
  call(of?: ServerTool, ctx?: ToolContext): Promise<ToolResult>
} {
  const log: string[] = []
  const warnings: string[] = []
  const connection: McpConnection = {
    isClosed: false,
    era: 'modern',
    listTools: async () => [],
    listPrompts: async () => [],
    getPrompt: async () => ({ messages: [] }),
    callTool: async (): Promise<ConnectionCallResult> => {
      log.push('call')
      return { result: (await answers.shift()?.()) ?? toolResult.text('more'), wasNotExecuted: false }
    },
    close: async () => void log.push('close'),
  }
  const calls = createServerCalls({
    server: 'tm',
    maxParallel: 2,
    connect: async () => connection,
    warn: (text) => warnings.push(text),
  })
  return { connection, log, warnings, call: (of = tool(), ctx = context()) => calls(of, {}, ctx) }
}

it.each([65, 20_000])(
  'a structured value nested %i levels deep is removed from a result with one warning, and the text stays',
  async (levels) => {
    const structured = JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as Json
    const answer = (): ToolResult => ({ ...toolResult.text('ok'), structured })
    const server = scripted([answer, answer])
    const act = tool()
    expect([await server.call(act), await server.call(act)]).toEqual([
      toolResult.text('ok'),
      toolResult.text('ok'),
    ])
    expect(server.warnings).toEqual([
      'The tool "act" of the MCP server "tm" returned structured content that is nested more than 64 levels deep; only its text is used.',
    ])
  },
)

const crash = (): ToolResult => toolResult.error('mcp_crashed', 'gone')

describe('a call whose server was lost', () => {
  it.each([[{ readOnlyHint: true }], [{ idempotentHint: true }]])(
    'a call whose server was lost is repeated if the tool is safe to repeat: %j',
    async (hints) => {
      const server = scripted([crash, () => toolResult.text('after all')])
      expect(resultText(await server.call(tool(hints)))).toBe('after all')
      expect(server.log).toEqual(['call', 'call'])
    },
  )

  it('a call whose server was lost is repeated only once', async () => {
    const server = scripted([crash, crash])
    expect((await server.call(tool({ readOnlyHint: true }))).failure?.code).toBe('mcp_crashed')
    expect(server.log).toEqual(['call', 'call'])
  })

  it('a call whose server was lost is never repeated for any other tool', async () => {
    const server = scripted([crash])
    expect((await server.call()).failure?.code).toBe('mcp_crashed')
    expect(server.log).toEqual(['call'])
  })

  it('a call whose server was lost is not repeated if it was cancelled', async () => {
    const stop = new AbortController()
    const server = scripted([
      () => {
        stop.abort(failure('run_cancelled', 'stopped'))
        return crash()
      },
    ])
    await server.call(tool({ readOnlyHint: true }), context(stop.signal))
    expect(server.log).toEqual(['call'])
  })

  it('a call is not repeated when the server itself reports a failure', async () => {
    const server = scripted([() => toolResult.error('mcp_failed', 'no')])
    await server.call(tool({ readOnlyHint: true }))
    expect(server.log).toEqual(['call'])
  })
})

describe('a server whose calls time out', () => {
  /** Makes a call that its caller cancels while it is in flight. */
  async function late(server: ReturnType<typeof scripted>): Promise<void> {
    const stop = new AbortController()
    const calling = server.call(tool(), context(stop.signal))
    await settle()
    stop.abort(LATE)
    await calling
  }
  const slow = async (): Promise<ToolResult> => {
    await settle(20)
    return toolResult.failed(LATE)
  }

  it('a server whose calls time out is restarted after three in a row', async () => {
    const server = scripted([slow, slow, slow])
    await late(server)
    await late(server)
    expect(server.log).not.toContain('close')
    await late(server)
    expect(server.log.at(-1)).toBe('close')
    expect(server.warnings).toEqual(['3 calls in a row to the MCP server "tm" timed out; it is restarted.'])
  })

  it('a server whose calls time out is not restarted if it answers in between', async () => {
    const server = scripted([slow, slow, () => toolResult.text('here'), slow, slow])
    await late(server)
    await late(server)
    await server.call()
    await late(server)
    await late(server)
    expect(server.log).not.toContain('close')
  })
})

describe('concurrent calls of one server', () => {
  it('concurrent calls of one server are limited, and the others run in order', async () => {
    const gates = [deferred<ToolResult>(), deferred<ToolResult>(), deferred<ToolResult>()]
    const server = scripted(gates.map((gate) => () => gate.promise))
    const results = gates.map(() => server.call())
    await settle()
    expect(server.log).toHaveLength(2)
    gates[0]?.resolve(toolResult.text('first'))
    await settle()
    expect(server.log).toHaveLength(3)
    for (const gate of gates) gate.resolve(toolResult.text('other'))
    expect((await Promise.all(results)).map(resultText)).toEqual(['first', 'other', 'other'])
  })

  it('waiting calls of one server can be cancelled, and the next one takes their slot', async () => {
    const gates = [deferred<ToolResult>(), deferred<ToolResult>()]
    const server = scripted(gates.map((gate) => () => gate.promise))
    const running = gates.map(() => server.call())
    const stop = new AbortController()
    const waiting = server.call(tool(), context(stop.signal))
    const next = server.call()
    await settle()
    stop.abort(failure('run_cancelled', 'stopped'))
    expect((await waiting).failure?.code).toBe('run_cancelled')
    for (const gate of gates) gate.resolve(toolResult.text('done'))
    await Promise.all(running)
    expect(resultText(await next)).toBe('more')
    expect(server.log).toHaveLength(3)
  })
})
