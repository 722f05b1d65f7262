import { getEventListeners } from 'node:events'
import { leakCheck, verifies } from '@troupe/testkit/internal'
import { expect, it } from 'vitest'
import { runProgram } from '../src/program.ts'
import { HANGING_TEAM } from './deep-team.ts'
import { isAlive } from './is-alive.ts'
import { serverPids } from './server-pids.ts'
import { project } from './team.ts'
import { testContext } from './test-context.ts'

/** The function that ignores its signal holds no resources here, so that any leftover belongs to the program. */
const TEAM = {
  ...HANGING_TEAM,
  'team/tools.mjs': HANGING_TEAM['team/tools.mjs']?.replace('setInterval(() => {}, 1000)', '{}') ?? '',
}

it.each([{ tty: true }, { tty: false }])(
  `a stop in the middle of three levels leaves no process, timer, socket or listener behind (%o) ${verifies('C47', 'C57')}`,
  async ({ tty }) => {
    const folder = await project(TEAM)
    const leaks = leakCheck()
    const context = testContext({ cwd: folder.path, tty, env: { PATH: process.env['PATH'] ?? '' } })
    const { stderr, stdout } = context.terminal
    const before = [stderr, stdout].map((stream) => stream.eventNames().length)
    const running = runProgram(['run', 'team', 'go'], context)
    await expect
      .poll(async () => {
        await context.clock.advance(100)
        return context.err()
      })
      .toMatch(tty ? /Leaf\[3\].*calls stubborn__wait/u : /(?:calls stubborn__wait[^]*){2}/u)
    const pids = serverPids(folder.path)
    context.stop.request('SIGINT')
    expect(await running).toBe(130)
    expect(pids.filter(isAlive)).toEqual([])
    await leaks.assertClean()
    expect(getEventListeners(context.stop.signal, 'abort')).toEqual([])
    expect(context.clock.pending()).toBe(0)
    expect([stderr, stdout].map((stream) => stream.eventNames().length)).toEqual(before)
  },
)
