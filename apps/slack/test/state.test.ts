import { fakeClock, tempProject } from '@troupe/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openSlackState, type StateOwner } from '../src/index.ts'

const NOW = 1_800_000_000_000

async function stateFile(): Promise<string> {
  const project = await tempProject({})
  onTestFinished(() => project.remove())
  return `${project.path}/slack.db`
}

function owner(pid: number, alive: readonly number[] = []): StateOwner {
  return { pid, host: 'here', isAlive: (asked) => alive.includes(asked) }
}

describe('a state', () => {
  it('is of one process: another one is told so, until the first has let go of it', async () => {
    const file = await stateFile()
    const clock = fakeClock(NOW)
    const first = await openSlackState({ file, clock, owner: owner(1) })
    await expect(openSlackState({ file, clock, owner: owner(2, [1]) })).rejects.toMatchObject({
      code: 'store_locked',
      message: `${file}: the Slack app of process 1 uses it.`,
    })
    first.close()
    const next = await openSlackState({ file, clock, owner: owner(2, [1]) })
    next.close()
    expect(clock.pending()).toBe(0)
  })

  it('is free when its process has died, at once', async () => {
    const file = await stateFile()
    const clock = fakeClock(NOW)
    await openSlackState({ file, clock, owner: owner(1) })
    const next = await openSlackState({ file, clock, owner: owner(2) })
    expect(next.open()).toEqual([])
    next.close()
  })

  it('stays with a process that says it is there, and not with another one of its number', async () => {
    const file = await stateFile()
    const [clock, later] = [fakeClock(NOW), fakeClock(NOW + 70_000)]
    await openSlackState({ file, clock, owner: owner(1) })
    await clock.advance(60_000)
    await expect(openSlackState({ file, clock, owner: owner(2, [1]) })).rejects.toThrow('uses it')
    const silent = fakeClock(NOW + 130_000)
    await expect(openSlackState({ file, clock: later, owner: owner(2, [1]) })).rejects.toThrow('uses it')
    const next = await openSlackState({ file, clock: silent, owner: owner(2, [1]) })
    expect(next.open()).toEqual([])
    next.close()
  })

  it('counts for a request the most that was said of it, and nothing twice', async () => {
    const state = await openSlackState({ clock: fakeClock(NOW) })
    state.setUsage('user:T:U', { by: 'Ev1', tokens: 0, micros: 0 })
    state.setUsage('user:T:U', { by: 'Ev1', tokens: 100, micros: 7 })
    state.setUsage('user:T:U', { by: 'Ev1', tokens: 0, micros: 0 })
    state.setUsage('user:T:U', { by: 'Ev2', tokens: 10, micros: 1 })
    expect(state.usageSince('user:T:U', 0)).toEqual({ requests: 2, tokens: 110, micros: 8 })
    expect(state.usageSince('user:T:U', 0, 'Ev1')).toEqual({ requests: 1, tokens: 10, micros: 1 })
    state.close()
  })
})
