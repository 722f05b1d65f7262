import { fakeClock, tempProject } from '@troupe/testkit/internal'
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
  it('a state belongs to one process, and others are rejected until it is closed', async () => {
    const file = await stateFile()
    const clock = fakeClock(NOW)
    const first = await openSlackState({ file, clock, owner: owner(1) })
    await expect(openSlackState({ file, clock, owner: owner(2, [1]) })).rejects.toMatchObject({
      code: 'store_locked',
      message: `${file}: the Slack app of process 1 is using this file.`,
    })
    first.close()
    const next = await openSlackState({ file, clock, owner: owner(2, [1]) })
    next.close()
    expect(clock.pending()).toBe(0)
  })

  it('a state can be opened at once after its process has died', async () => {
    const file = await stateFile()
    const clock = fakeClock(NOW)
    await openSlackState({ file, clock, owner: owner(1) })
    const next = await openSlackState({ file, clock, owner: owner(2) })
    expect(next.open()).toEqual([])
    next.close()
  })

  it('a state belongs to a process that renews its lock, not to another one with the same pid', async () => {
    const file = await stateFile()
    const [clock, later] = [fakeClock(NOW), fakeClock(NOW + 70_000)]
    await openSlackState({ file, clock, owner: owner(1) })
    await clock.advance(60_000)
    await expect(openSlackState({ file, clock, owner: owner(2, [1]) })).rejects.toThrow('is using this file')
    const silent = fakeClock(NOW + 130_000)
    await expect(openSlackState({ file, clock: later, owner: owner(2, [1]) })).rejects.toThrow(
      'is using this file',
    )
    const next = await openSlackState({ file, clock: silent, owner: owner(2, [1]) })
    expect(next.open()).toEqual([])
    next.close()
  })

  it('a state counts the highest usage of a request, and nothing twice', async () => {
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
