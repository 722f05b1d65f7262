import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lockTools, parseToolLock, toolLockText, withToolLock, type ToolLock } from '../src/index.ts'
import { nodeServer, leaseOf, SERVERS, testPool } from './support/test-pool.ts'

const drifting = (version: string) => nodeServer(`${SERVERS}/drifting-stdio.ts`, version)

describe('the lock of tools', () => {
  it('the lock of tools reports every tool that has changed, with every lease', async () => {
    const warnings: string[] = []
    const pool = withToolLock(testPool(), { lock: await lockedAs('1'), frozen: false })
    const onWarning = (text: string): void => void warnings.push(text)
    const lease = await leaseOf(pool, drifting('2'), { onWarning })
    expect(warnings).toEqual([
      'The MCP server "tm": its tool "send" has changed since it was locked.',
      'The MCP server "tm": its tool "spy" is not in the lock.',
      'The MCP server "tm": its tool "list" is in the lock but no longer offered.',
    ])
    expect(lease.tools).toHaveLength(3)
    await leaseOf(pool, drifting('2'), { onWarning })
    expect(warnings).toHaveLength(6)
  })

  it('a frozen lock leaves out changed tools and returns the same list each time', async () => {
    const pool = withToolLock(testPool(), { lock: await lockedAs('1'), frozen: true })
    const lease = await leaseOf(pool, drifting('2'))
    expect(lease.tools.map(({ name }) => name)).toEqual(['tm__read'])
    const again = await leaseOf(pool, drifting('2'))
    expect(again.tools).toBe(lease.tools)
  })

  it('the lock of tools reports nothing for an unchanged server, or one that was never locked', async () => {
    const warnings: string[] = []
    const onWarning = (text: string): void => void warnings.push(text)
    const pool = withToolLock(testPool(), { lock: await lockedAs('1'), frozen: false })
    await leaseOf(pool, drifting('1'), { onWarning })
    await leaseOf(pool, drifting('2'), { server: 'other', onWarning })
    expect(warnings).toEqual([])
  })

  it('a frozen lock offers nothing of a server that was never locked', async () => {
    const pool = withToolLock(testPool(), { lock: () => undefined, frozen: true })
    expect((await leaseOf(pool, drifting('1'))).tools).toEqual([])
  })

  it('the lock of tools detects a changed hint that decides about approval', async () => {
    const [calm, grim] = await Promise.all([toolsOf('1'), toolsOf('3')])
    expect(calm['send']).not.toBe(grim['send'])
    expect(calm['read']).toBe(grim['read'])
  })

  it('the lock file has one line per tool, in order', async () => {
    const text = toolLockText(await lockOf('1'))
    expect(text.split('\n').map((line) => line.replace(/sha256-.{43}/u, 'DIGEST'))).toEqual([
      '{',
      '  "lockfileVersion": 1,',
      '  "servers": {',
      '    "tm": {',
      '      "tools": {',
      '        "list": "DIGEST",',
      '        "read": "DIGEST",',
      '        "send": "DIGEST"',
      '      }',
      '    }',
      '  }',
      '}',
      '',
    ])
  })

  it('the lock of tools reads every file that it writes', () => {
    const digest = fc.stringMatching(/^sha256-[A-Za-z0-9_-]{43}$/u)
    const names = fc.dictionary(fc.string({ minLength: 1 }), digest)
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), names), (servers) => {
        const lock: ToolLock = { servers: new Map(Object.entries(servers)) }
        const read = parseToolLock(toolLockText(lock), 'troupe.lock')
        expect([...read.servers].map(([name]) => name).toSorted()).toEqual(Object.keys(servers).toSorted())
        for (const [name, tools] of read.servers) expect({ ...tools }).toEqual({ ...lock.servers.get(name) })
      }),
      { numRuns: 50 },
    )
  })

  it.each([
    'no json',
    '[]',
    '{"lockfileVersion": 2, "servers": {}}',
    '{"lockfileVersion": 1}',
    '{"lockfileVersion": 1, "servers": {"a": {"tools": {"b": "md5-1"}}}}',
  ])('the lock of tools refuses an invalid file: %s', (text) => {
    expect(() => parseToolLock(text, 'troupe.lock')).toThrow(
      expect.objectContaining({ code: 'config_invalid', message: expect.stringContaining('troupe.lock: ') }),
    )
  })
})

async function toolsOf(version: string): Promise<Readonly<Record<string, string>>> {
  return lockTools((await leaseOf(testPool(), drifting(version))).tools)
}

async function lockedAs(version: string): Promise<() => ToolLock> {
  const lock = await lockOf(version)
  return () => lock
}

async function lockOf(version: string): Promise<ToolLock> {
  return { servers: new Map([['tm', await toolsOf(version)]]) }
}
