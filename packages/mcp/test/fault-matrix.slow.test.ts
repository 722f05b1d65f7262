import {
  ERRORS,
  failure,
  resultText,
  type ErrorCode,
  type JsonObject,
  type McpServerConfig,
  type ToolResult,
} from '@troupe/schema'
import { heldClock } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import type { McpLease, McpPool } from '../src/index.ts'
import { eventually, groupMembers } from './support/process-table.ts'
import { faultHttp, faultServer, TRANSPORTS, type TransportName } from './support/fault-servers.ts'
import { call, leaseOf, testPool } from './support/test-pool.ts'

const LATE = failure('tool_timeout', 'too late')
const MEBIBYTE = 1024 * 1024

/** A fault of a call, with its result on each transport. */
interface CallRow {
  readonly tool: string
  readonly args?: JsonObject
  /** The code of the failure, or `undefined` if the call is answered. */
  readonly stdio?: ErrorCode | undefined
  readonly http?: ErrorCode | undefined
  /** The transports that have this fault. Default: all. */
  readonly on?: readonly TransportName[]
}

const CALL_ROWS: readonly CallRow[] = [
  { tool: 'crash', stdio: 'mcp_crashed', on: ['stdio'] },
  { tool: 'killed', stdio: 'mcp_crashed', on: ['stdio'] },
  { tool: 'drop', http: 'mcp_closed', on: ['http'] },
  { tool: 'drop_stream', http: 'mcp_closed', on: ['http'] },
  { tool: 'refuse', stdio: 'mcp_failed', http: 'mcp_failed' },
  { tool: 'odd', stdio: 'mcp_failed', http: 'mcp_failed' },
  { tool: 'large', args: { bytes: 5 * MEBIBYTE } },
  { tool: 'large', args: { bytes: 50 * MEBIBYTE }, stdio: 'mcp_oversize', http: 'mcp_oversize' },
  { tool: 'flood' },
  { tool: 'junk' },
  { tool: 'unauthorized', http: 'mcp_needs_auth', on: ['http'] },
  { tool: 'not_found', http: 'mcp_failed', on: ['http'] },
  { tool: 'redirect', http: 'mcp_failed', on: ['http'] },
  { tool: 'elsewhere', http: 'mcp_failed', on: ['http'] },
  { tool: 'wrong_type', http: 'mcp_failed', on: ['http'] },
  { tool: 'no_json', http: 'mcp_failed', on: ['http'] },
  { tool: 'endless', http: 'mcp_oversize', on: ['http'] },
  { tool: 'endless_stream', http: 'mcp_oversize', on: ['http'] },
  { tool: 'gzip_bomb', http: 'mcp_oversize', on: ['http'] },
]

const callCases = CALL_ROWS.flatMap((row) =>
  (row.on ?? TRANSPORTS).map((transport) => ({ ...row, transport })),
)

describe('a fault of one call', () => {
  it.each(callCases)(
    'a fault of one call has its class and code and does not affect other calls: $transport $tool $args',
    async ({ transport, tool, args, ...codes }) => {
      const pool = testPool()
      const { lease, end } = await leased(pool, transport)
      const [bad, other] = await Promise.all([
        call(lease, tool, args),
        call(lease, 'say_later', { text: 'unharmed' }),
      ])
      expectFailure(bad, codes[transport])
      expect(resultText(other)).toBe('unharmed')
      expect(resultText(await call(lease, 'say', { text: 'and after' }))).toBe('and after')
      await end()
    },
  )
})

const silent = [
  ['stdio', 'hang'],
  ['http', 'hang'],
  ['http', 'slow_headers'],
  ['http', 'slow_body'],
] as const

describe('a server that does not respond', () => {
  it.each(silent)(
    'a call without a response ends with its timeout, and the server is notified: %s %s',
    async (transport, tool) => {
      const { lease, end } = await leased(testPool(), transport)
      expectFailure(await callUntilLate(lease, tool), 'tool_timeout')
      expect(resultText(await call(lease, 'say', { text: 'still here' }))).toBe('still here')
      await eventually('the cancellation arrives', async () => (await statusOf(lease)).cancelled === 1)
      await end()
    },
  )

  it.each(TRANSPORTS)(
    'the server is reconnected after three calls in a row without a response: %s',
    async (transport) => {
      const warnings: string[] = []
      const pool = testPool()
      const config = await faultServer(transport)
      const lease = await leaseOf(pool, config, { onWarning: (text) => warnings.push(text) })
      const before = await statusOf(lease)
      const stop = new AbortController()
      const waiting = [1, 2, 3].map(() => call(lease, 'hang', {}, { signal: stop.signal }))
      await call(lease, 'say', { text: 'the calls before are under way' })
      stop.abort(LATE)
      for (const result of await Promise.all(waiting)) expectFailure(result, 'tool_timeout')
      const after = await statusOf(lease)
      expect(after.pid === before.pid).toBe(transport === 'http')
      expect(warnings[0]).toContain('3 calls in a row')
      if (transport === 'stdio')
        await eventually('its process is gone', () => groupMembers(before.pid).length === 0)
    },
  )
})

const startRows = [
  ['stdio', 'exit', /exited with code 3.*\n.*cannot read the configuration/su],
  ['stdio', 'exit-late', /exited with code 4.*the end$/su],
  ['stdio', 'killed', /was terminated by SIGKILL/u],
  ['stdio', 'hang', /did not answer within 0.5 s/u],
  ['http', 'unauthorized', /HTTP 401/u],
  ['http', 'not_found', /HTTP 404/u],
  ['http', 'redirect', /HTTP 307 .*not followed/u],
  ['http', 'elsewhere', /HTTP 307 .*not followed/u],
  ['http', 'drop', /cannot be reached/u],
  ['http', 'drop_stream', /cannot be used/u],
  ['http', 'slow_headers', /did not answer within 0.5 s/u],
  ['http', 'slow_body', /did not answer within 0.5 s/u],
  ['http', 'wrong_type', /content type/iu],
  ['http', 'no_json', /cannot be used/u],
  ['http', 'endless', /larger than 16 MiB/u],
  ['http', 'endless_stream', /larger than 16 MiB/u],
  ['http', 'gzip_bomb', /larger than 16 MiB/u],
] as const

describe('a fault from the start', () => {
  it.each(startRows)(
    'a fault from the start fails the start with its reason, and other servers start: %s %s',
    async (transport, fault, why) => {
      const held = heldClock(500)
      const pool = testPool({ startTimeout: 500, clock: held.clock })
      const http = transport === 'http' ? await faultHttp(fault) : undefined
      const config: McpServerConfig =
        http === undefined ? await faultServer('stdio', fault) : { url: http.url, type: 'http' }
      const good = await faultServer('http')
      const starting = Promise.allSettled([leaseOf(pool, config)])
      expect((await leaseOf(pool, good, { server: 'good' })).tools.length).toBeGreaterThan(0)
      if (fault === 'hang' || fault.startsWith('slow')) held.expire()
      const [bad] = await starting
      expect(bad).toMatchObject({ reason: { code: 'mcp_start_failed', message: expect.stringMatching(why) } })
      await pool.close()
      if (http === undefined) return
      await eventually('no socket is left', async () => (await http.status()).sockets === 0)
      const { followed, sentBytes, sentWhole } = await http.status()
      expect(followed).toBe(0)
      expect(sentWhole).toBe(0)
      expect(sentBytes).toBeLessThan(1000 * 1024 * 1024)
    },
  )

  it.each(['junk', 'flood'])('the start is not affected by a harmless fault: stdio %s', async (fault) => {
    const lease = await leaseOf(testPool(), await faultServer('stdio', fault))
    expect(resultText(await call(lease, 'say', { text: 'hi' }))).toBe('hi')
  })

  it.each([
    ['stdio', { command: 'no-such-command' }, /command "no-such-command" was not found in PATH/u],
    ['http', { url: 'http://127.0.0.1:9/mcp' }, /cannot be reached/u],
  ])('a missing server is reported as missing: %s', async (_transport, config, why) => {
    await expect(leaseOf(testPool(), config)).rejects.toMatchObject({
      code: 'mcp_start_failed',
      message: expect.stringMatching(why),
    })
  })
})

describe('normal behaviour that looks like a fault', () => {
  it.each(TRANSPORTS)(
    'a tool list that changes is read again and stays the same for a lease: %s',
    async (transport) => {
      const pool = testPool()
      const { lease, config, end } = await leased(pool, transport)
      await call(lease, 'change')
      await eventually('a lease with the new tool', async () => {
        const next = await leaseOf(pool, config)
        await next.release()
        return next.tools.some((tool) => tool.name === 'tm__learned_1')
      })
      expect(lease.tools.map((tool) => tool.name)).not.toContain('tm__learned_1')
      await end()
    },
  )

  it.each(TRANSPORTS)(
    'a thousand calls at once get their own answers, sixteen at a time: %s',
    async (transport) => {
      const { lease, end } = await leased(testPool(), transport)
      const texts = Array.from({ length: 1000 }, (_none, index) => `call ${index}`)
      const results = await Promise.all(texts.map((text) => call(lease, 'say_later', { text, ms: 1 })))
      expect(results.map(resultText)).toEqual(texts)
      expect((await statusOf(lease)).most).toBeLessThanOrEqual(16)
      await end()
    },
  )

  it.each(TRANSPORTS)('progress is passed on: %s', async (transport) => {
    const { lease, end } = await leased(testPool(), transport)
    const told: string[] = []
    await call(lease, 'progress', {}, { progress: (text) => told.push(text) })
    expect(told).toEqual(['1/2', '2/2'])
    await end()
  })

  it('processes started by a stdio server end with it, even if it ignores SIGTERM', async () => {
    const { lease, end } = await leased(testPool(), 'stdio')
    const { pid } = await statusOf(lease)
    const grandchild = Number(resultText(await call(lease, 'grandchild')))
    expect(groupMembers(pid)).toContain(grandchild)
    await end()
  })
})

/** Returns a lease of a fault server; `end` closes the pool and asserts that nothing is left. */
async function leased(
  pool: McpPool,
  transport: TransportName,
): Promise<{ readonly lease: McpLease; readonly config: McpServerConfig; end(): Promise<void> }> {
  const http = transport === 'http' ? await faultHttp() : undefined
  const config = http === undefined ? await faultServer('stdio') : { url: http.url }
  const lease = await leaseOf(pool, config)
  return {
    lease,
    config,
    async end() {
      const { pid } = await statusOf(lease)
      await pool.close()
      const isGone = async (): Promise<boolean> =>
        http === undefined ? groupMembers(pid).length === 0 : (await http.status()).sockets === 0
      if (http === undefined && !(await isGone())) throw new Error(`left behind: ${groupMembers(pid).join()}`)
      await eventually('nothing is left', isGone)
    },
  }
}

async function statusOf(
  lease: McpLease,
): Promise<{ readonly pid: number; readonly most: number; readonly cancelled: number }> {
  return JSON.parse(resultText(await call(lease, 'status'))) as never
}

/** Calls a tool that never answers, and times out as core does. */
async function callUntilLate(lease: McpLease, tool: string): Promise<ToolResult> {
  const stop = new AbortController()
  const waiting = call(lease, tool, {}, { signal: stop.signal })
  // answer a later call: by then the server has received the first
  await call(lease, 'say_later', { text: 'x' })
  stop.abort(LATE)
  return waiting
}

function expectFailure({ failure: found }: ToolResult, code: ErrorCode | undefined): void {
  expect(found?.code).toBe(code)
  expect(found?.class).toBe(code === undefined ? undefined : ERRORS[code].class)
}
