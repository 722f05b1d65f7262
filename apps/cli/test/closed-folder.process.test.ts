import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { execPath, getuid } from 'node:process'
import { expect, it } from 'vitest'
import { startProgram, toNodeArgs, type Program } from './start-program.ts'
import { oneAgent, project } from './team.ts'

/** A user without rights, for tests that run as root. */
const NOBODY = 65_534
const uid = getuid?.() === 0 ? NOBODY : getuid?.()

/** True if that user can execute the program, which is not so for a clone in a home folder. */
const canRun = uid !== undefined && spawnSync(execPath, [...toNodeArgs(), '--version'], { uid }).status === 0
if (!canRun) process.stdout.write('NOT RUN: a store in a folder that is read-only\n')

/** Returns a folder with a team that the user of the program may read but not write to. */
async function closedProject(): Promise<string> {
  const { path } = await project(oneAgent('- say: Done.'))
  mkdirSync(join(path, 'kept'))
  chmodSync(join(path, 'kept'), 0o755)
  chmodSync(path, 0o755)
  if (getuid?.() !== 0) for (const folder of [join(path, 'kept'), path]) chmodSync(folder, 0o555)
  return path
}

function start(args: readonly string[], path: string): Program {
  return startProgram(args, path, uid === undefined ? {} : { uid })
}

it.runIf(canRun)(
  'a run continues without a store if its default folder is read-only, and warns once',
  { timeout: 60_000 },
  async () => {
    const path = await closedProject()
    const program = start(['run', 'one.md', 'Go.'], path)
    expect(await program.ends()).toEqual([0, null])
    expect(program.out()).toBe('Done.\n')
    expect(program.err().match(/The run is not saved/gu)).toHaveLength(1)
    expect(program.err()).toContain(join(path, '.local', 'state', 'troupe', 'runs.db'))
  },
)

it.runIf(canRun)(
  'a run with a store that cannot be created ends before the first model call',
  { timeout: 60_000 },
  async () => {
    const path = await closedProject()
    const program = start(['run', 'one.md', 'Go.', '--store', 'kept/runs.db'], path)
    expect(await program.ends()).toEqual([1, null])
    expect(program.out()).toBe('')
    expect(program.err()).toContain('[store/store_unavailable]')
    expect(program.err()).toContain(join(path, 'kept', 'runs.db'))
    expect(existsSync(join(path, 'kept', 'runs.db'))).toBe(false)
  },
)
