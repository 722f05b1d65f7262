import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'

const COMMAND = path.join(import.meta.dirname, '../../../../apps/cli/dist/bin.js')

/** How to start a process, and the text in its stderr that says that it takes work. */
interface ProcessStart {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly readyText: string
}

/** Starts a program with this version of Node. Rejects with its stderr if it exits before it is ready. */
export async function startProcess({ args, cwd, env, readyText }: ProcessStart): Promise<ChildProcess> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (data: Buffer) => {
      output = (output + data.toString()).slice(-10_000)
      if (output.includes(readyText)) resolve()
    })
    child.once('exit', () => reject(new Error(output)))
  })
  return child
}

/** Starts `troupe worker` of the built command on a folder of cards. */
export function startWorker(url: string, folder: string): Promise<ChildProcess> {
  return startProcess({
    args: [COMMAND, 'worker', '.', '--drain-timeout', '1s'],
    cwd: folder,
    env: { TROUPE_STORE: url },
    readyText: 'takes runs of',
  })
}

/** Ends processes that were started here. */
export async function stopProcesses(processes: readonly ChildProcess[]): Promise<void> {
  await Promise.all(
    processes.map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    }),
  )
}
