import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { inject, onTestFinished } from 'vitest'

/** The program in a process of its own. */
export interface Program {
  readonly process: ChildProcess
  readonly out: () => string
  readonly err: () => string
  /** Resolves when `holds` returns true; it is called after each output. */
  readonly until: (holds: () => boolean) => Promise<void>
  /** Resolves when stderr contains this text. */
  readonly says: (text: string) => Promise<void>
  readonly ends: () => Promise<readonly [number | null, NodeJS.Signals | null]>
}

/** Starts the program and kills it if the test ends first. `uid` is the user to run it as, `env` is added to its environment. */
export function startProgram(
  args: readonly string[],
  cwd: string,
  {
    nodeArgs = [],
    uid,
    env = {},
  }: {
    readonly nodeArgs?: readonly string[]
    readonly uid?: number
    readonly env?: Readonly<Record<string, string>>
  } = {},
): Program {
  return watchProgram(
    spawn(process.execPath, [...toNodeArgs(nodeArgs), ...args], {
      cwd,
      ...(uid === undefined ? {} : { uid, gid: uid }),
      env: { PATH: process.env['PATH'], HOME: cwd, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
}

/** Returns the arguments of Node before those of the command line. */
export function toNodeArgs(nodeArgs: readonly string[] = []): readonly string[] {
  return [...nodeArgs, inject('program')]
}

/** Collects what a process prints and waits for it. */
export function watchProgram(child: ChildProcess): Program {
  onTestFinished(() => {
    if (child.exitCode === null) child.kill('SIGKILL')
  })
  const { stdout, stderr } = child
  if (stdout === null || stderr === null) throw new TypeError('the output of the process is not piped')
  let waiting: (() => void)[] = []
  const wake = (): void => {
    const woken = waiting
    waiting = []
    for (const resolve of woken) resolve()
  }
  // listen from the start: a process that has ended may still have unread output
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  const out = keep(stdout, wake)
  const err = keep(stderr, wake)
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) {
      if (child.exitCode !== null)
        throw new TypeError(`the process has ended with ${child.exitCode}: ${err()}`)
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
  }
  return {
    process: child,
    out,
    err,
    until,
    says: (text) => until(() => err().includes(text)),
    ends: () => closed,
  }
}

function keep(stream: NodeJS.ReadableStream, onText: () => void): () => string {
  let text = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    onText()
  })
  return () => text
}
