import { resultText, type McpServerConfig, type TroupeError } from '@troupe/schema'
import { fakeClock, heldClock } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { eventually, groupMembers } from './support/process-table.ts'
import { realClock } from './support/real-clock.ts'
import { call, leaseOf, nodeServer, processOf, SERVERS, testPool } from './support/test-pool.ts'

const fault = (...args: readonly string[]): McpServerConfig => nodeServer('fault-stdio.mjs', ...args)

describe('a server that does not start', () => {
  it('a server that does not start is reported with its exit code and its error output', async () => {
    await expect(leaseOf(testPool(), fault('exit'))).rejects.toMatchObject({
      code: 'mcp_start_failed',
      message: expect.stringMatching(/"tm".*exited with code 3.*\n.*cannot read the configuration/su),
    })
  })

  it('a server that does not start is reported with only the end of a long error output', async () => {
    const message = await leaseOf(testPool(), fault('exit-late')).then(
      String,
      (error: Error) => error.message,
    )
    expect(message).toMatch(/exited with code 4/u)
    expect(message.endsWith('the end')).toBe(true)
    expect(message.length).toBeLessThan(5000)
  })

  it('a missing command is reported with its name, without its arguments and the folders of PATH', async () => {
    const pool = testPool({ baseEnv: { PATH: '/nowhere/bin' } })
    await expect(
      leaseOf(pool, { command: 'no-such-command', args: ['--key', 's3cret'] }),
    ).rejects.toMatchObject({
      code: 'mcp_start_failed',
      message: expect.stringMatching(/: the command "no-such-command" was not found in PATH\.$/u),
    })
  })

  it('a missing folder is reported with its path', async () => {
    await expect(leaseOf(testPool(), { ...fault(), cwd: 'missing' })).rejects.toMatchObject({
      code: 'mcp_start_failed',
      message: expect.stringContaining(`${SERVERS}/missing: the folder does not exist`),
    })
  })

  it('a file that is not executable is reported as such', async () => {
    await expect(leaseOf(testPool(), { command: './fault-stdio.mjs' })).rejects.toMatchObject({
      code: 'mcp_start_failed',
      message: expect.stringContaining('not executable'),
    })
  })

  it('a server that does not start in time is ended', async () => {
    const pool = testPool({ startTimeout: 300 })
    await expect(leaseOf(pool, fault('hang'))).rejects.toMatchObject({
      code: 'mcp_start_failed',
      message: expect.stringContaining('did not answer within 0.3 s'),
    })
  })

  it('the error of a server that does not start in time lists at most 20 variables', async () => {
    const names = Array.from({ length: 30 }, (_, at) => `A${String(at).padStart(2, '0')}`)
    const env = Object.fromEntries(names.map((name) => [name, 'x']))
    const started = leaseOf(testPool({ startTimeout: 300 }), { ...fault('hang'), env })
    const { failure } = await started.then(
      () => expect.fail('the server started'),
      (thrown: TroupeError) => thrown,
    )
    expect(failure.remediation).toContain('only these variables: A00, A01,')
    expect(failure.remediation).toMatch(/A19 and \d+ more\. /u)
    expect(failure.remediation).not.toContain('A20')
  })

  it('a server that has not started after 5 s is reported once, and one that has is not', async () => {
    const slow: string[] = []
    const onSlowStart = (server: string): void => void slow.push(server)
    // on this clock, 5 s pass in 50 ms
    const clock = { ...realClock, after: (ms: number, act: () => void) => realClock.after(ms / 100, act) }
    const hanging = testPool({ clock, startTimeout: 100_000, onSlowStart })
    await expect(leaseOf(hanging, fault('hang'))).rejects.toMatchObject({ code: 'mcp_start_failed' })
    expect(slow).toEqual(['tm'])
    const pending = new Set<number>()
    const after = (ms: number, act: () => void): (() => void) => {
      const cancel = realClock.after(ms, act)
      pending.add(ms)
      return () => {
        pending.delete(ms)
        cancel()
      }
    }
    await leaseOf(testPool({ clock: { ...realClock, after }, onSlowStart }), fault('none'))
    expect(pending).not.toContain(5000)
  })

  it('a server whose list of tools does not end is ended', async () => {
    const warnings: string[] = []
    const lease = await leaseOf(testPool(), fault('endless'), { onWarning: (text) => warnings.push(text) })
    expect(lease.tools).toEqual([])
    expect(warnings).toEqual([
      'The MCP server "tm": the pages of its tool list do not end; the rest is left out.',
    ])
  })

  it('a server that does not start may be started by the next lease', async () => {
    const pool = testPool()
    await expect(leaseOf(pool, fault('exit'))).rejects.toMatchObject({ code: 'mcp_start_failed' })
    await expect(leaseOf(pool, fault('exit'))).rejects.toMatchObject({ code: 'mcp_start_failed' })
    expect((await leaseOf(pool, fault())).tools).toHaveLength(1)
  })
})

describe('an older server that does not support version negotiation', () => {
  it('an older server that ends on negotiation is started again with the older handshake', async () => {
    const lease = await leaseOf(testPool(), fault('exit-on-question'))
    expect(await call(lease, 'act')).toMatchObject({ outcome: 'completed' })
  })

  it('an older server that ignores negotiation gets the older handshake', async () => {
    const lease = await leaseOf(
      testPool({ startTimeout: 2000, clock: heldClock(2000).clock }),
      fault('silent-on-question'),
    )
    expect(await call(lease, 'act')).toMatchObject({ outcome: 'completed' })
  })
})

describe('a misbehaving server', () => {
  it('lines that are not messages cause one warning', async () => {
    const warnings: string[] = []
    const lease = await leaseOf(testPool(), fault('junk'), { onWarning: (text) => warnings.push(text) })
    expect(await call(lease, 'act')).toMatchObject({ outcome: 'completed' })
    expect(warnings).toEqual([
      'The MCP server "tm" writes lines to its output that are not messages; they are ignored. The first: "starting up …"',
    ])
  })

  it('any amount of error output is accepted', async () => {
    const lease = await leaseOf(testPool(), fault('flood'))
    expect(await call(lease, 'act')).toMatchObject({ outcome: 'completed' })
  })

  it.each([[true], [false]])(
    'a response that is too large fails only its call (id first: %s)',
    async (idFirst) => {
      const lease = await leaseOf(testPool({ maxMessageBytes: 1024 * 1024 }), fault('huge'))
      const [huge, small] = await Promise.all([
        call(lease, 'act', { idFirst }),
        call(lease, 'act', { small: true }),
      ])
      expect(huge.failure).toMatchObject({
        code: 'mcp_oversize',
        message: expect.stringContaining('larger than 1 MiB'),
      })
      expect(resultText(small)).toBe('small')
      expect(resultText(await call(lease, 'act', { small: true }))).toBe('small')
    },
  )

  it('badly described tools are offered as far as possible, and the rest is reported', async () => {
    const warnings: string[] = []
    const tools = [
      { name: 'no-schema' },
      { name: 'no-type', inputSchema: { properties: { a: {} } } },
      { name: 'wrong-type', inputSchema: { type: 'string' } },
      { name: 'hidden', description: `read\u{e0041}\u{202e}me`, inputSchema: { type: 'object' } },
      { name: 'twice', inputSchema: { type: 'object' } },
      { name: 'twice', inputSchema: { type: 'object' } },
      { name: 'bell\u0007' },
      { name: '' },
      'no tool',
    ]
    const lease = await leaseOf(testPool(), fault('tools', JSON.stringify(tools)), {
      onWarning: (text) => warnings.push(text),
    })
    expect(lease.tools.map((tool) => [tool.name, tool.description, tool.inputSchema])).toEqual([
      ['tm__no-schema', '', { type: 'object', additionalProperties: true }],
      ['tm__no-type', '', { type: 'object', properties: { a: {} } }],
      ['tm__wrong-type', '', { type: 'object', additionalProperties: true }],
      ['tm__hidden', 'readme', { type: 'object' }],
      ['tm__twice', '', { type: 'object' }],
    ])
    expect(warnings).toHaveLength(6)
  })
})

describe('a server that stops', () => {
  it('a server that stops fails the active call with how it ended', async () => {
    const warnings: string[] = []
    const lease = await leaseOf(testPool(), fault('die'), { onWarning: (text) => warnings.push(text) })
    expect((await call(lease, 'act')).failure).toMatchObject({
      code: 'mcp_crashed',
      message: 'The MCP server "tm" stopped during the call: it exited with code 9.',
    })
    expect(warnings).toEqual([expect.stringMatching(/exited with code 9\..*\nout of memory/su)])
  })

  it('a server that stops fails the active call even if a child process keeps its output open', async () => {
    const pool = testPool()
    const lease = await leaseOf(pool, fault('die-leaving'))
    expect((await call(lease, 'act')).failure?.code).toBe('mcp_crashed')
    await pool.close()
  })

  it('the output of a server that stops is read to its end', async () => {
    const lease = await leaseOf(testPool(), fault('answer-and-die'))
    expect(resultText(await call(lease, 'act'))).toBe('last words')
  })

  it('a server killed with kill -9 fails the pending call, and the next lease and the old one get a new process', async () => {
    const pool = testPool()
    const lease = await leaseOf(pool, nodeServer('team-stdio.ts'))
    const { pid } = await processOf(lease)
    const pending = call(lease, 'wait')
    process.kill(pid, 'SIGKILL')
    expect((await pending).failure).toMatchObject({
      code: 'mcp_crashed',
      message: expect.stringContaining('was terminated by SIGKILL'),
    })
    const second = await processOf(await leaseOf(pool, nodeServer('team-stdio.ts')))
    expect(second.pid).not.toBe(pid)
    expect((await processOf(lease)).pid).toBe(second.pid)
  })

  it('a server that stops is restarted three times within five minutes and then no more', async () => {
    const time = fakeClock()
    const clock = { ...realClock, monotonic: time.monotonic }
    const lease = await leaseOf(testPool({ clock }), fault('die'))
    const codes: unknown[] = []
    for (let turn = 0; turn < 5; turn += 1) codes.push((await call(lease, 'act')).failure?.message)
    expect(codes.slice(0, 4)).toEqual(Array(4).fill(expect.stringContaining('exited with code 9')))
    expect(codes[4]).toContain('not restarted for now')
    await time.advance(5 * 60 * 1000)
    expect((await call(lease, 'act')).failure?.message).toContain('exited with code 9')
  })
})

describe('the end of a server', () => {
  it.each([
    ['it ends by itself when its input ends', 'none'],
    ['it ignores the end of its input and SIGTERM', 'stubborn'],
    ['it started a process of its own', 'grandchild'],
  ])('the end of a server ends its whole process group: %s', async (_case, mode) => {
    const pool = testPool()
    const { pid } = await processOf(await leaseOf(pool, fault(mode)), 'act')
    await pool.close()
    expect(groupMembers(pid)).toEqual([])
  })

  it('the end of a server ends what a server that died left behind', async () => {
    const lease = await leaseOf(testPool(), fault('grandchild'))
    const { pid } = await processOf(lease, 'act')
    expect(groupMembers(pid)).toHaveLength(2)
    process.kill(pid, 'SIGKILL')
    await eventually('the group is gone', () => groupMembers(pid).length === 0)
  })

  it('the end of a server can be immediate, for an app that exits', async () => {
    const pool = testPool()
    const pids = await Promise.all(
      ['stubborn', 'grandchild'].map(async (mode) => {
        return (await processOf(await leaseOf(pool, fault(mode)), 'act')).pid
      }),
    )
    pool.killAll()
    await eventually('both groups are gone', () => pids.every((pid) => groupMembers(pid).length === 0))
    await expect(leaseOf(pool, fault())).rejects.toMatchObject({ code: 'mcp_closed' })
  })

  it('the end of a server also works while it is starting', async () => {
    const pool = testPool()
    const lease = leaseOf(pool, fault('hang'))
    const closing = pool.close()
    await expect(lease).rejects.toMatchObject({ code: 'mcp_closed' })
    await closing
  })
})
