import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { BLOCKING_TEAM } from './deep-team.ts'
import { isAlive } from './is-alive.ts'
import { serverPids } from './server-pids.ts'
import { toNodeArgs } from './start-program.ts'
import { project } from './team.ts'

/** Long, because the machine may be busy. */
const POLL = { timeout: 30_000 }
/** A parent that starts the program, prints its process id, and waits. */
const PARENT = `
const { spawn } = require('node:child_process')
const child = spawn(process.execPath, process.argv.slice(1), { stdio: ['ignore', 'ignore', 'ignore'] })
console.log(child.pid)
`

it('a program whose function blocks the thread ends with its servers when its parent is killed', async () => {
  const folder = await project(BLOCKING_TEAM)
  const parent = spawn(process.execPath, ['-e', PARENT, '--', ...toNodeArgs(), 'run', 'team', 'go'], {
    cwd: folder.path,
    env: { PATH: process.env['PATH'], HOME: folder.path },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(parent.stdout, 'data')) as [Buffer]
  const pid = Number(line.toString('utf8'))
  onTestFinished(() => {
    parent.kill('SIGKILL')
    if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  })
  await expect.poll(() => existsSync(join(folder.path, 'spinning')), POLL).toBe(true)
  const servers = serverPids(folder.path)
  expect([pid, ...servers].map(isAlive)).toEqual([true, true])
  parent.kill('SIGKILL')
  await expect.poll(() => [pid, ...servers].filter(isAlive), POLL).toEqual([])
})
