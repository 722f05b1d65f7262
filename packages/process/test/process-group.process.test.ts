import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fakeClock, verifies } from '@troupe/testkit/internal'
import type { Clock } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { childEnvironment, endProcessGroup, processGroup, type ProcessGroup } from '../src/index.ts'

const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, fn) {
    const timer = setTimeout(fn, ms)
    return () => clearTimeout(timer)
  },
}

/** Starts a process that starts another one like itself. If `deaf` is set, both ignore SIGTERM. */
async function startPair(
  deaf: boolean,
): Promise<{ readonly group: ProcessGroup; readonly pids: readonly number[] }> {
  const wait = `${deaf ? "process.on('SIGTERM', () => {});" : ''} setInterval(() => {}, 1000)`
  const code = `
    const { spawn } = require('node:child_process')
    const inner = spawn(process.execPath, ['-e', ${JSON.stringify(`${wait}; process.stdout.write('up')`)}])
    inner.stdout.once('data', () => process.stdout.write(String(inner.pid)))
    ${wait}`
  const child = spawn(process.execPath, ['-e', code], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [pid] = (await once(child.stdout, 'data')) as [Buffer]
  child.stdout.destroy()
  return { group: processGroup(child.pid ?? 0), pids: [child.pid ?? 0, Number(pid)] }
}

/** Returns true if the process has ended or is a zombie. */
function isGone(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return /^[ZX]/u.test(stat.slice(stat.lastIndexOf(')') + 2))
  } catch {
    // no process has this id
    return true
  }
}

describe('a process group', () => {
  it.each([false, true])(
    'a process group ends with all its members, even if they ignore SIGTERM: %s',
    async (deaf) => {
      const { group, pids } = await startPair(deaf)
      expect(group.alive()).toBe(true)
      expect(pids.map(isGone)).toEqual([false, false])
      await endProcessGroup(group, { clock: realClock })
      expect(pids.map(isGone)).toEqual([true, true])
    },
  )

  it('a process group first gets the end of its input, if it has one, and then 500 ms to exit', async () => {
    const clock = fakeClock()
    const told: string[] = []
    let isAlive = true
    const group: ProcessGroup = { signal: (name) => void told.push(name), alive: () => isAlive }
    const ending = endProcessGroup(group, { clock, endInput: () => void told.push('end of input') })
    await clock.advance(400)
    expect(told).toEqual(['end of input'])
    isAlive = false
    for (let turn = 0; turn < 10; turn += 1) {
      await clock.advance(100)
    }
    await ending
    expect(told).toEqual(['end of input'])
  })
})

describe('environment of a child process', () => {
  it(`a child process gets only the documented variables and its own ${verifies('R17')}`, () => {
    const app = { PATH: '/bin', HOME: '/home/me', LANG: undefined, API_KEY: 'sk', TERM: '() { :; }; echo' }
    expect(childEnvironment(app, { CITY: 'Rome', HOME: '/tmp' })).toEqual({
      PATH: '/bin',
      HOME: '/tmp',
      CITY: 'Rome',
    })
  })
})
