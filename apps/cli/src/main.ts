import { execFile } from 'node:child_process'
import { Console } from 'node:console'
import { fstatSync } from 'node:fs'
import { homedir, hostname } from 'node:os'
import process from 'node:process'
import { Writable } from 'node:stream'
import type { Clock } from '@troupe/schema'
import {
  createInterrupts,
  createStop,
  type Interrupts,
  type ProgramStop,
  type StopCause,
} from './terminal/stop.ts'
import { isAlive } from './run-store/is-alive.ts'
import { runProgram } from './program.ts'
import { provideModules } from './provided-modules.ts'
import { createTerminal } from './terminal/terminal.ts'
import { startWatchdog } from './start-watchdog.ts'

const CLOCK: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, fn) {
    const timer = setTimeout(fn, ms)
    return () => clearTimeout(timer)
  },
}

/** Time for the handling of SIGCONT after a stop, in ms. */
const CONTINUE_MS = 1000
/** Functions of {@link watchForeground} that are in use. */
const foregroundWatchers = new Set<(isForeground: boolean) => void>()

process.exit(await main())

/**
 * Runs the program. Only this file accesses the process. Resolves with the exit code when all output is
 * flushed.
 */
async function main(): Promise<number> {
  const { argv, stdin, stdout, stderr, versions } = process
  const env = { ...process.env }
  const stop = createStop()
  const interrupts = createInterrupts()
  const exitHandlers = new Set<() => void>()
  const onSignal = watchProcess(stop, { exitHandlers, interrupts })
  const terminal = createTerminal({ stdin, stdout, stderr }, { env, fromDevice: isDevice(0) })
  // Functions of cards run in this process: their output must not mix with the answer.
  globalThis.console = new Console(terminal.notes.stream)
  provideModules()
  let isWatched = false
  const code = await runProgram(argv.slice(2), {
    env,
    nodeVersion: versions.node,
    cwd: process.cwd(),
    home: homedir(),
    terminal,
    captureStdout: () => terminal.secrets.guard(captureStdout(stdout, terminal.notes.stream)),
    clock: CLOCK,
    identity: { pid: process.pid, host: hostname(), isAlive },
    stop,
    interrupts,
    beforeCardCode() {
      // A reloaded team imports its code again.
      if (isWatched) return
      isWatched = true
      const hasTerminal = stdin.isTTY || stderr.isTTY
      startWatchdog({ hasTerminal, onInterrupt: () => onSignal('SIGINT') })
    },
    atExit(fn) {
      exitHandlers.add(fn)
      return () => exitHandlers.delete(fn)
    },
    openUrl: async (url) => {
      const { default: open } = await import('open')
      await open(url)
    },
    watchForeground,
  })
  await Promise.all([flush(stdout), flush(stderr)])
  return stop.exitCode ?? code
}

/** Lets the watchers restore the terminal before Ctrl-Z stops the process. */
function onStop(): void {
  for (const fn of foregroundWatchers) fn(false)
  process.kill(process.pid, 'SIGSTOP')
  // Without a terminal to read, only this keeps the process until it handles SIGCONT.
  setTimeout(() => undefined, CONTINUE_MS)
}

/**
 * Calls `fn` with true while the process may read its terminal, and with false before it is stopped. The shell
 * changes that while it is stopped.
 */
function watchForeground(fn: (isForeground: boolean) => void): () => void {
  let isWatched = true
  if (foregroundWatchers.size === 0 && process.platform !== 'win32') process.on('SIGTSTP', onStop)
  foregroundWatchers.add(fn)
  const check = (): void => {
    void isInForeground().then((isForeground) => {
      if (isWatched) fn(isForeground)
    })
  }
  check()
  process.on('SIGCONT', check)
  return () => {
    isWatched = false
    foregroundWatchers.delete(fn)
    if (foregroundWatchers.size === 0) process.off('SIGTSTP', onStop)
    process.off('SIGCONT', check)
  }
}

/** Resolves with true if the process may read its terminal: its process group is the one in the foreground. */
function isInForeground(): Promise<boolean> {
  if (process.platform === 'win32') return Promise.resolve(true)
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'pgid=,tpgid=', '-p', String(process.pid)], (error, output) => {
      const [group, foreground] = output.trim().split(/\s+/u)
      resolve(error === null && group !== undefined && group === foreground)
    })
  })
}

/** Returns false for a closed descriptor too. */
function isDevice(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice()
  } catch {
    // Reading the descriptor reports the error.
    return false
  }
}

type EndingSignal = Exclude<StopCause, 'EPIPE'>

/**
 * Handles signals: the first one stops the work, the second one ends the process at once. A command may
 * handle Ctrl-C itself. Returns the signal handler.
 */
function watchProcess(
  stop: ProgramStop,
  {
    exitHandlers,
    interrupts,
  }: { readonly exitHandlers: ReadonlySet<() => void>; readonly interrupts: Interrupts },
): (signal: EndingSignal) => void {
  process.on('exit', () => {
    for (const fn of exitHandlers) fn()
  })
  const onSignal = (signal: EndingSignal): void => {
    if (stop.exitCode !== undefined) process.exit(stop.exitCode)
    if (signal === 'SIGINT' && interrupts.handleInterrupt()) return
    stop.request(signal)
  }
  const signals: readonly EndingSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, () => onSignal(signal))
  process.stdout.on('error', () => stop.request('EPIPE'))
  process.stderr.on('error', () => {
    // The reader of the progress is gone, but the answer is still wanted.
  })
  return onSignal
}

function flush(output: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    output.write('', () => resolve())
  })
}

/**
 * Redirects all writes to stdout to `notes` and returns a stream that still writes to stdout. A single
 * foreign line would break a protocol on stdout.
 */
function captureStdout(stdout: NodeJS.WriteStream, notes: Writable): Writable {
  const write = stdout.write.bind(stdout)
  stdout.write = notes.write.bind(notes) as typeof stdout.write
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Uint8Array, _encoding, done) {
      write(chunk, (thrown) => done(thrown ?? undefined))
    },
  })
}
