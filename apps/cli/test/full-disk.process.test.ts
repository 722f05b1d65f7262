import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { leakCheck } from '@troupe/testkit/internal'
import { expect, it, onTestFinished } from 'vitest'
import { startProgram } from './start-program.ts'
import { oneAgent, project } from './team.ts'

const FILLER = 'filler'
const TOOLS = `
import { openSync, writeSync, closeSync } from 'node:fs'
export function fill() {
  const file = openSync(new URL('disk/${FILLER}', import.meta.url), 'w')
  const piece = Buffer.alloc(4096)
  try {
    for (;;) writeSync(file, piece)
  } catch (thrown) {
    return thrown.code
  } finally {
    closeSync(file)
  }
}
fill.description = 'Takes all the space there is.'
`

/** Mounts a disk of one MiB in the folder. Returns `undefined` if this user may not mount. */
function mountDisk(folder: string): string | undefined {
  const disk = join(folder, 'disk')
  mkdirSync(disk)
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk])
  if (status !== 0) return undefined
  onTestFinished(() => void spawnSync('umount', ['--lazy', disk]))
  return disk
}

it(
  'a run on a full disk pauses with a warning, and continues when there is space',
  { timeout: 60_000 },
  async ({ skip }) => {
    const { path } = await project(
      oneAgent("- {call: [{tool: fill}]}\n- say: 'It says {{results.0.text}}.'", {
        fields: 'functionTools: [tools.mjs:fill]',
        files: { 'tools.mjs': TOOLS },
      }),
    )
    const disk = mountDisk(path)
    if (disk === undefined) {
      // report the skipped part, so that it does not count as tested
      process.stdout.write('NOT RUN without the right to mount: a run on a disk that is full\n')
      skip()
      return
    }
    const leaks = leakCheck()
    const store = join('disk', 'runs.db')
    const program = startProgram(['run', 'one.md', 'Go.', '--store', store], path)
    await program.says('The run is paused until there is space.')
    expect(program.out()).toBe('')
    rmSync(join(disk, FILLER))
    expect(await program.ends()).toEqual([0, null])
    expect(program.err()).toContain('There is space again')
    expect(program.out()).toBe('It says ENOSPC.\n')

    const list = startProgram(['runs', 'list', '--store', store], path)
    await list.ends()
    const [runId = ''] = /run_\w+/u.exec(list.out()) ?? []
    const events = startProgram(['runs', 'events', runId, '--json', '--store', store], path)
    await events.ends()
    const kept = events
      .out()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly seq: number; readonly type: string })
    expect(kept.map(({ seq }) => seq)).toEqual(kept.map((_, index) => index + 1))
    expect(kept.at(-1)).toMatchObject({ type: 'run-end', outcome: 'completed' })
    await leaks.assertClean()
  },
)
