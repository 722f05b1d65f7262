import { spawnSync } from 'node:child_process'
import { readFileSync, writeSync } from 'node:fs'
import process from 'node:process'
import { isatty } from 'node:tty'
import { Script } from 'node:vm'
import { parentPort, workerData } from 'node:worker_threads'
import { CELLS, type WatchdogNotice, type WatchdogData } from './start-watchdog.ts'

/** Time in ms for the main thread to acknowledge an interrupt before it counts as blocked. */
const ACKNOWLEDGE_MS = 300
/**
 * The same in ms after the parent process died. Longer, because no user is waiting and the thread may only be
 * busy.
 */
const ORPHAN_ACKNOWLEDGE_MS = 5000
/** Interval of checks for the parent process, in ms. */
const PERIOD = 1000
const SHOW_CURSOR = '\u001B[?25h\n'
const STDERR = 2

/**
 * Number of nested scripts, so that many signals in quick succession find one. Each signal ends a script, and a
 * busy machine may not run this thread for a while.
 */
const SCRIPTS = 256

const { cells, hasTerminal } = workerData as WatchdogData
const parent = process.ppid
const script = new Script('watchInNextScript()')

let interrupts = 0
/** Acknowledgements when the second interrupt was passed on, and the time in ms by which another must follow. */
let pending: { readonly acknowledged: number; readonly deadline: number } | undefined
let isEnding = false

if (hasTerminal) {
  watchInScripts(SCRIPTS)
  endProcess()
} else watch()

/**
 * Watches for SIGINT inside nested scripts. While a script with `breakOnSigint` runs, Node handles the signal
 * on a thread of its own, so it arrives even if the main thread is blocked. Outside of such a script the
 * signal would end the process without a handler, so an interrupt is handled inside the surrounding script.
 */
function watchInScripts(count: number): void {
  if (count === 0) return watch()
  for (;;) {
    Object.assign(globalThis, { watchInNextScript: () => watchInScripts(count - 1) })
    try {
      script.runInThisContext({ breakOnSigint: true })
      return
    } catch {
      // Only an interrupt makes the script throw.
      passInterruptOn()
    }
  }
}

/** Returns when the process is to end by SIGINT. Servers and the cursor are taken care of by then. */
function watch(): void {
  while (!isEnding) {
    if (pending === undefined) Atomics.wait(cells, CELLS.wait, 0, PERIOD)
    else if (isAcknowledged(pending.acknowledged, pending.deadline - performance.now())) pending = undefined
    else {
      cleanUp()
      isEnding = true
    }
    lookForParent()
  }
}

/** Passes an interrupt on to the main thread. From the second one on, the main thread must acknowledge it. */
function passInterruptOn(): void {
  interrupts += 1
  const acknowledged = Atomics.load(cells, CELLS.acknowledged)
  sendNotice('interrupted')
  if (interrupts > 1) pending ??= { acknowledged, deadline: performance.now() + ACKNOWLEDGE_MS }
}

/**
 * Checks for the parent process; after its death the process has a new parent. A responsive main thread
 * continues, like a background job; a blocked one would spin forever, so the process is ended.
 */
function lookForParent(): void {
  if (process.ppid === parent) return
  const acknowledged = Atomics.load(cells, CELLS.acknowledged)
  sendNotice('orphaned')
  if (isAcknowledged(acknowledged, ORPHAN_ACKNOWLEDGE_MS)) return
  cleanUp()
  kill(process.pid, 'SIGKILL')
}

function sendNotice(notice: WatchdogNotice): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads has no origin
  parentPort?.postMessage(notice)
}

/** Returns true if the main thread acknowledges a notice in time. */
function isAcknowledged(before: number, maxWaitMs: number): boolean {
  return Atomics.wait(cells, CELLS.acknowledged, before, Math.max(0, maxWaitMs)) !== 'timed-out'
}

/** Kills the child processes and shows the cursor. The exit handlers do not run when the process is killed. */
function cleanUp(): void {
  for (const pid of childProcesses()) {
    kill(-pid, 'SIGKILL')
    kill(pid, 'SIGKILL')
  }
  if (!isatty(STDERR)) return
  writeSync(STDERR, SHOW_CURSOR)
  // The display may have switched the echo of the terminal off. Without stty, such as on Windows, it did not.
  spawnSync('stty', ['echo', 'icanon', 'icrnl', '-noflsh'], { stdio: [STDERR, 'ignore', 'ignore'] })
}

/** Ends the process by SIGINT. Must run outside of the scripts, which would catch the signal. */
function endProcess(): void {
  kill(process.pid, 'SIGINT')
  Atomics.wait(cells, CELLS.wait, 0, PERIOD)
  kill(process.pid, 'SIGKILL')
}

/**
 * Returns the child processes: servers, which lead their own process group, and commands of `execSync`. Only
 * Linux lists them; elsewhere servers end when their stdin closes.
 */
function childProcesses(): readonly number[] {
  try {
    const text = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
    return text
      .split(' ')
      .map(Number)
      .filter((pid) => pid > 1)
  } catch {
    return []
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended, or is not a process group.
  }
}
