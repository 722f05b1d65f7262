import { TRANSIENT_EVENTS, type EventType, type RunEvent } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { HANGING_RUNS, HANGING_TEAM } from './deep-team.ts'
import { isAlive } from './is-alive.ts'
import { serverPids } from './server-pids.ts'
import { startProgram, type Program } from './start-program.ts'
import { project } from './team.ts'

/** Long, because the machine may be busy. */
const POLL = { timeout: 30_000 }
/** Prints what keeps the process alive when it ends, and how often its listeners are installed. */
const REPORT_LEFT = `data:text/javascript,${encodeURIComponent(`
import { writeFileSync } from 'node:fs'
process.on('exit', () => {
  const listeners = ['SIGINT', 'SIGTERM', 'SIGHUP', 'unhandledRejection', 'uncaughtException'].map((name) => [name, process.listenerCount(name)])
  writeFileSync('left.json', JSON.stringify({ resources: process.getActiveResourcesInfo(), listeners: Object.fromEntries(listeners) }))
})
`)}`

interface Hanging extends Program {
  readonly folder: string
  readonly read: (name: string) => Promise<string>
}

/** Starts the team and waits until all its leaves hang. */
async function startHanging(...options: readonly string[]): Promise<Hanging> {
  const folder = await project(HANGING_TEAM)
  const program = startProgram(['run', 'team', 'go', ...options], folder.path, {
    nodeArgs: ['--import', REPORT_LEFT],
  })
  await program.until(() => allHang(program.out() + program.err()))
  return { ...program, folder: folder.path, read: (name) => folder.read(name) }
}

/** Returns true if two leaves are in each of the three tools and two in their models; by then the servers have written their ids. */
function allHang(text: string): boolean {
  const calls = ['deaf', 'polite', 'stubborn__wait'].map((tool) =>
    Math.max(count(text, `calls ${tool} `), count(text, `"tool-start".*"toolName":"${tool}"`)),
  )
  return calls.every((times) => times >= 2)
}

function count(text: string, pattern: string): number {
  return [...text.matchAll(new RegExp(pattern, 'gu'))].length
}

describe('Ctrl-C in the middle of three levels of children', () => {
  it(`Ctrl-C ends every run and call exactly once and the process with 130, even if a tool ignores its signal ${verifies('C47', 'C23')}`, async () => {
    const program = await startHanging('--events')
    program.process.kill('SIGINT')
    expect(await program.ends()).toEqual([130, null])
    const events = program
      .out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as RunEvent)
    const starts = of(events, 'run-start').map((event) => event.runId)
    const ends = of(events, 'run-end')
    expect(starts).toHaveLength(HANGING_RUNS)
    expect(ends.map((event) => event.runId).toSorted()).toEqual(starts.toSorted())
    expect(new Set(ends.map((event) => event.outcome))).toEqual(new Set(['cancelled']))
    expect(of(events, 'tool-result').map(callOf).toSorted()).toEqual(
      of(events, 'tool-call').map(callOf).toSorted(),
    )
    const last = events.findLast(({ type }) => !TRANSIENT_EVENTS.has(type) && type !== 'warning')
    expect(last).toMatchObject({ type: 'run-end', depth: 0 })
  })

  it(`Ctrl-C leaves no process, timer, socket or pipe behind ${verifies('C47')}`, async () => {
    const program = await startHanging()
    const pids = serverPids(program.folder)
    expect(pids.length).toBeGreaterThan(0)
    expect(pids.every(isAlive)).toBe(true)
    program.process.kill('SIGINT')
    expect(await program.ends()).toEqual([130, null])
    await expect.poll(() => pids.filter(isAlive), POLL).toEqual([])
    const { resources, listeners } = JSON.parse(await program.read('left.json')) as {
      readonly resources: readonly string[]
      readonly listeners: Readonly<Record<string, number>>
    }
    // the two functions that ignore their signals have a timer each; nothing else keeps the process alive
    expect(resources.filter((kind) => kind === 'Timeout').length).toBeLessThanOrEqual(2)
    expect(resources.filter((kind) => /Process|TCP|Server|FSEvent/u.test(kind))).toEqual([])
    expect(Math.max(...Object.values(listeners))).toBeLessThanOrEqual(1)
  })

  it('Ctrl-C prints how each run ended and the usage so far, and nothing about late results', async () => {
    const program = await startHanging()
    program.process.kill('SIGINT')
    await program.ends()
    expect(program.err()).toMatch(/^Top {8}1 .*\nMiddle {5}2 .*\nLeaf {7}8 .*\ntotal {5}11 /mu)
    const end = program.err().lastIndexOf('interrupted: The run was interrupted: Ctrl-C (SIGINT)')
    const lines = program.err().slice(end).trim().split('\n')
    expect(lines).toHaveLength(2)
    expect(lines[1]).toMatch(/troupe run --resume run_\w+$/u)
    expect(program.err()).not.toContain('warning:')
  })

  it('a second Ctrl-C ends the program and all servers at once', async () => {
    const program = await startHanging()
    const pids = serverPids(program.folder)
    program.process.kill('SIGINT')
    await program.says('interrupted: The run was interrupted')
    program.process.kill('SIGINT')
    expect(await program.ends()).toEqual([130, null])
    await expect.poll(() => pids.filter(isAlive), POLL).toEqual([])
  })
})

type EventOf<T extends EventType> = Extract<RunEvent, { readonly type: T }>

function of<T extends EventType>(events: readonly RunEvent[], type: T): readonly EventOf<T>[] {
  return events.filter((event): event is EventOf<T> => event.type === type)
}

function callOf(event: RunEvent): string {
  return `${event.runId}:${event.callId}`
}
