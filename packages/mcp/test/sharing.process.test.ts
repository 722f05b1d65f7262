import { fakeClock, settle, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { INHERITED_VARIABLES } from '@troupe/process'
import { eventually, groupMembers } from './support/process-table.ts'
import { realClock } from './support/real-clock.ts'
import { call, leaseOf, nodeServer, processOf, SERVERS, testPool, toolNamed } from './support/test-pool.ts'

const team = nodeServer('team-stdio.ts')

describe('a shared connection', () => {
  it(`a shared connection is one process for equal definitions, however many leases are requested at once ${verifies('R1', 'A19')}`, async () => {
    const pool = testPool()
    const leases = await Promise.all(Array.from({ length: 20 }, () => leaseOf(pool, { ...team })))
    const processes = await Promise.all(leases.map((lease) => processOf(lease)))
    expect(new Set(processes.map(({ pid }) => pid)).size).toBe(1)
    const [first, ...others] = leases
    for (const other of others) expect(other.tools).toBe(first?.tools)
  })

  it.each([
    ['env', { config: { ...team, env: { CITY: 'London' } } }],
    ['arguments', { config: { ...team, args: [...(team.args ?? []), '--other'] } }],
    ['principal', { principal: 'another principal' }],
    ['name', { server: 'other' }],
    ['folder', { config: { ...team, args: [`${SERVERS}/team-stdio.ts`] }, folder: '/' }],
  ])(`a connection is not shared when the %s differs ${verifies('R1', 'C45')}`, async (_what, difference) => {
    const pool = testPool()
    const config = { ...team, env: { CITY: 'Paris' } }
    const one = await processOf(await leaseOf(pool, config))
    const other = await processOf(await leaseOf(pool, config, difference))
    expect(other.pid).not.toBe(one.pid)
  })

  it(`a shared connection outlives its leases and ends with the pool ${verifies('A11', 'A20')}`, async () => {
    const pool = testPool()
    const lease = await leaseOf(pool, team)
    const { pid } = await processOf(lease)
    await lease.release()
    await lease.release()
    expect((await processOf(await leaseOf(pool, team))).pid).toBe(pid)
    await pool.close()
    expect(groupMembers(pid)).toEqual([])
  })

  it('a shared connection without leases is kept only if it is retained', async () => {
    const pool = testPool()
    const [idle, used, kept] = await Promise.all(
      ['idle', 'used', 'kept'].map((server) => leaseOf(pool, team, { server })),
    )
    const pids = await Promise.all(
      [idle, used, kept].map(async (lease) => lease && (await processOf(lease)).pid),
    )
    await Promise.all([idle?.release(), kept?.release()])
    await pool.retain([{ server: 'kept', config: team, principal: 'me', folder: SERVERS }])
    const alive = (): readonly boolean[] => pids.map((pid) => groupMembers(pid ?? 0).length > 0)
    expect(alive()).toEqual([false, true, true])
    await used?.release()
    expect(alive()).toEqual([false, false, true])
  })

  it('a shared connection ends after the idle timeout without a lease', async () => {
    const time = fakeClock()
    const clock = {
      ...realClock,
      after: (ms: number, fn: () => void) => (ms === 60_000 ? time : realClock).after(ms, fn),
    }
    const pool = testPool({ clock, idleTimeout: 60_000 })
    const lease = await leaseOf(pool, team)
    const { pid } = await processOf(lease)
    await lease.release()
    await time.advance(59_999)
    const again = await leaseOf(pool, team)
    await time.advance(60_000)
    expect((await processOf(again)).pid).toBe(pid)
    await again.release()
    await time.advance(60_000)
    await eventually('the process ends', () => groupMembers(pid).length === 0)
    expect((await processOf(await leaseOf(pool, team))).pid).not.toBe(pid)
  })

  it('a shared connection survives a listener that throws', async () => {
    const pool = testPool()
    const onWarning = (): void => {
      throw new TypeError('a fault of the listener')
    }
    const lease = await leaseOf(pool, nodeServer('fault-stdio.mjs', 'die'), { onWarning })
    expect((await call(lease, 'act')).failure?.code).toBe('mcp_crashed')
  })

  it('a shared connection continues to start for others when one of its callers gives up', async () => {
    const pool = testPool()
    const stop = new AbortController()
    const impatient = leaseOf(pool, team, { signal: stop.signal })
    const patient = leaseOf(pool, team)
    stop.abort({ class: 'cancelled', code: 'run_cancelled', message: 'stopped', remediation: '' })
    await expect(impatient).rejects.toMatchObject({ code: 'run_cancelled', message: 'stopped' })
    expect((await patient).tools.length).toBeGreaterThan(0)
  })
})

describe('`shared: false`', () => {
  it(`\`shared: false\` gives every lease a process of its own, which ends with it ${verifies('R1')}`, async () => {
    const pool = testPool()
    const config = { ...team, shared: false }
    const one = await leaseOf(pool, config)
    const other = await leaseOf(pool, config)
    const first = await processOf(one)
    const second = await processOf(other)
    expect(second.pid).not.toBe(first.pid)
    await one.release()
    expect(groupMembers(first.pid)).toEqual([])
    expect((await processOf(other)).pid).toBe(second.pid)
    expect((await call(one, 'process')).failure?.code).toBe('mcp_closed')
  })
})

describe('the environment of a server', () => {
  const app = {
    PATH: process.env['PATH'],
    HOME: '/home/somebody',
    LANG: 'C.UTF-8',
    LC_ALL: undefined,
    TERM: '() { :; }; echo oops',
    OPENAI_API_KEY: 'sk-of-the-app',
    NODE_OPTIONS: '--no-warnings',
  }

  it(`the environment of a server is the documented few variables and its own block, nothing else ${verifies('R17', 'C43')}`, async () => {
    const pool = testPool({ baseEnv: app })
    const { env } = await processOf(await leaseOf(pool, { ...team, env: { CITY: 'London', HOME: '/tmp' } }))
    expect(env).toEqual({ PATH: app.PATH, HOME: '/tmp', LANG: 'C.UTF-8', CITY: 'London' })
    expect(INHERITED_VARIABLES).toEqual([
      'HOME',
      'LANG',
      'LC_ALL',
      'LOGNAME',
      'PATH',
      'SHELL',
      'TERM',
      'TMPDIR',
      'USER',
    ])
  })

  it(`the environment of a server is never that of another session ${verifies('C45')}`, async () => {
    const pool = testPool({ baseEnv: app })
    const [one, other] = await Promise.all(
      ['k1', 'k2'].map(async (KEY) => processOf(await leaseOf(pool, { ...team, env: { KEY } }))),
    )
    expect([one?.env['KEY'], other?.env['KEY']]).toEqual(['k1', 'k2'])
  })

  it('the arguments of a server do not pass through a shell', async () => {
    const lease = await leaseOf(testPool(), {
      command: process.execPath,
      args: ['fault-stdio.mjs', 'none', '$(touch pwned); `id` && echo'],
      env: { VALUE: '$HOME `id`' },
    })
    expect((await processOf(lease, 'act')).env['VALUE']).toBe('$HOME `id`')
  })
})

describe('the folder of a server', () => {
  it('the folder of a server is `cwd`, resolved against the folder of the definition', async () => {
    const lease = await leaseOf(
      testPool(),
      { command: process.execPath, args: [`${SERVERS}/team-stdio.ts`], cwd: 'servers' },
      { folder: `${SERVERS}/..` },
    )
    expect((await processOf(lease)).cwd).toBe(SERVERS)
  })
})

describe('the pool', () => {
  it('the pool refuses leases once it is closed', async () => {
    const pool = testPool()
    await pool.close()
    await expect(leaseOf(pool, team)).rejects.toMatchObject({ code: 'mcp_closed' })
  })

  it('the pool fails the calls of leases that outlive it', async () => {
    const pool = testPool()
    const lease = await leaseOf(pool, team)
    const waiting = call(lease, 'wait')
    await settle()
    await pool.close()
    expect((await waiting).failure?.code).toBe('mcp_closed')
    expect((await call(lease, 'echo', { text: 'hi' })).failure?.code).toBe('mcp_closed')
    expect(toolNamed(lease, 'echo').name).toBe('tm__echo')
  })

  it.each([
    ['neither a command nor a url', {}],
    ['both', { command: 'node', url: 'http://127.0.0.1/' }],
    ['an empty command', { command: '' }],
    ['a url that is none', { url: 'localhost:80' }],
    ['a url of another kind', { url: 'file:///etc/passwd' }],
    ['a header that HTTP does not know', { url: 'http://127.0.0.1/', headers: { 'a b': 'c' } }],
    ['a header over two lines', { url: 'http://127.0.0.1/', headers: { a: 'b\r\nc: d' } }],
    ['a command and the type of an address', { command: 'node', type: 'http' as const }],
  ])('the pool refuses a definition with %s', async (_what, config) => {
    await expect(leaseOf(testPool(), config)).rejects.toMatchObject({
      code: 'mcp_bad_config',
      message: expect.stringContaining('"tm"'),
    })
  })

  it.each([
    ['npx', ['-y', 'some-server'], 'some-server', 'some-server'],
    ['npx', ['-y', '@scope/server@latest', '/data'], '@scope/server@latest', '@scope/server'],
    ['npx', ['--package=some-server', 'run'], 'some-server', 'some-server'],
  ])('the pool warns of a package without a version: %s %j', async (command, args, spec, name) => {
    const warnings: string[] = []
    const pool = testPool({ baseEnv: { PATH: '/nowhere' } })
    const lease = leaseOf(pool, { command, args }, { onWarning: (text) => warnings.push(text) })
    await expect(lease).rejects.toMatchObject({ code: 'mcp_start_failed' })
    expect(warnings).toEqual([
      `The MCP server "tm" runs whichever version of "${spec}" is newest. Pin a version: ${name}@<version>.`,
    ])
  })

  it.each([
    ['npx', ['-y', 'some-server@1.2.3']],
    ['npx', ['./server.mjs']],
    ['node', ['some-server']],
  ])('the pool does not warn of %s %j', async (command, args) => {
    const warnings: string[] = []
    const pool = testPool({ baseEnv: { PATH: '/nowhere' } })
    const lease = leaseOf(pool, { command, args }, { onWarning: (text) => warnings.push(text) })
    await expect(lease).rejects.toMatchObject({ code: 'mcp_start_failed' })
    expect(warnings).toEqual([])
  })

  it('the pool refuses a header with a character that HTTP does not allow, and says which ones', async () => {
    const headers = { authorization: 'Bearer sk-…' }
    await expect(leaseOf(testPool(), { url: 'http://127.0.0.1:1/mcp', headers })).rejects.toMatchObject({
      message: expect.stringMatching(/the header "authorization", which HTTP does not allow/u),
      failure: { remediation: expect.stringContaining('line breaks or characters such as `…`') },
    })
  })
})
