import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startProgram, toNodeArgs, watchProgram } from './start-program.ts'
import { oneAgent, project } from './team.ts'

const SLOW = oneAgent('- {say: so far, call: [{tool: x}]}\n- {say: late, delay: 5m}')

/** Starts the program under a parent that never waits for it, so that it becomes a zombie when it is killed. Resolves with its pid. */
async function startUnderDeafParent(args: readonly string[], cwd: string): Promise<number> {
  const command = '"$@" & echo "pid $!" >&2; exec sleep 300'
  const shell = spawn('/bin/sh', ['-c', command, 'sh', process.execPath, ...toNodeArgs(), ...args], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const program = watchProgram(shell)
  await program.says('x failed')
  const pid = Number(/pid (?<pid>\d+)/u.exec(program.err())?.groups?.['pid'])
  onTestFinished(async () => {
    shell.kill('SIGKILL')
    if (shell.exitCode === null && shell.signalCode === null) await once(shell, 'exit')
  })
  return pid
}

describe.skipIf(process.platform !== 'linux')('a run whose process was killed with SIGKILL', () => {
  it('`runs list` shows a killed run as Interrupted at once, even while its process is a zombie', async () => {
    const { path } = await project(SLOW)
    const store = ['--store', 'runs.db']
    const pid = await startUnderDeafParent(['run', 'one.md', 'hi', ...store], path)
    process.kill(pid, 'SIGKILL')
    const states = async (): Promise<readonly unknown[]> => {
      const list = startProgram(['runs', 'list', '--json', ...store], path)
      await list.ends()
      return (JSON.parse(list.out()) as readonly { readonly state: string }[]).map(({ state }) => state)
    }
    expect(await states()).toEqual(['interrupted'])
  })
})
