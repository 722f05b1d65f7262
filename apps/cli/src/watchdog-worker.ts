import { readFileSync, writeSync } from 'node:fs'
import process from 'node:process'
import { isatty } from 'node:tty'
import { createContext, Script } from 'node:vm'
import { parentPort, workerData } from 'node:worker_threads'
import { CELLS, type WatchdogNotice, type WatchdogData } from './watchdog-cells.ts'

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

const { cells, hasTerminal } = workerData as WatchdogData
const parent = process.ppid
const watch = new Script(`for (;;) { Atomics.wait(cells, ${CELLS.wait}, 0, ${PERIOD}); lookForParent() }`)
const context = createContext({ cells, lookForParent })

let notices = 0
let interrupts = 0
if (!hasTerminal) watch.runInContext(context)
while (isInterrupted()) {
  interrupts += 1
  const before = sendNotice('interrupted')
  if (interrupts > 1 && !isAcknowledged(before, ACKNOWLEDGE_MS)) endProcess('SIGINT')
}

/**
 * Waits for SIGINT. While such a script runs, Node handles the signal on a thread of its own, so it arrives
 * even if the main thread is blocked. The same script also checks the parent: between two scripts, the signal
 * would end the process without a handler.
 */
function isInterrupted(): boolean {
  try {
    watch.runInContext(context, { breakOnSigint: true })
    return false
  } catch {
    // Only an interrupt makes the script throw.
    return true
  }
}

/**
 * Checks for the parent process; after its death the process has a new parent. A responsive main thread
 * continues, like a background job; a blocked one would spin forever, so the process is ended.
 */
function lookForParent(): void {
  if (process.ppid === parent) return
  const before = sendNotice('orphaned')
  if (!isAcknowledged(before, ORPHAN_ACKNOWLEDGE_MS)) endProcess('SIGKILL')
}

/** Sends a notice. Returns the number of notices sent before it. */
function sendNotice(notice: WatchdogNotice): number {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads has no origin
  parentPort?.postMessage(notice)
  notices += 1
  return notices - 1
}

/** Returns true if the main thread acknowledges the notice in time. Notices are received in order. */
function isAcknowledged(before: number, maxWaitMs: number): boolean {
  const acknowledged = Atomics.load(cells, CELLS.acknowledged)
  if (acknowledged > before) return true
  return Atomics.wait(cells, CELLS.acknowledged, acknowledged, maxWaitMs) !== 'timed-out'
}

/** Ends the process by the signal. Exit handlers do not run then, so child processes are killed here. */
function endProcess(signal: 'SIGINT' | 'SIGKILL'): void {
  for (const pid of childProcesses()) {
    kill(-pid, 'SIGKILL')
    kill(pid, 'SIGKILL')
  }
  if (isatty(STDERR)) writeSync(STDERR, SHOW_CURSOR)
  kill(process.pid, signal)
  // Running the script again here would catch this signal.
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
