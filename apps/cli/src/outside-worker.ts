import { readFileSync, writeSync } from 'node:fs'
import process from 'node:process'
import { isatty } from 'node:tty'
import { createContext, Script } from 'node:vm'
import { parentPort, workerData } from 'node:worker_threads'
import { CELLS, type Notice, type OutsideWorkerData } from './outside-cells.ts'

/** How long the main thread may take to hear of an interrupt before it counts as blocked, in ms. */
const PATIENCE = 300
/** The same for an orphan: nobody waits for it, and it may be at work without us. */
const ORPHAN_PATIENCE = 5000
/** How often the parent is looked for, in ms. */
const PERIOD = 1000
const SHOW_CURSOR = '\u001B[?25h\n'
const STDERR = 2

const { cells, hasTerminal } = workerData as OutsideWorkerData
const parent = process.ppid
const watch = new Script(`for (;;) { Atomics.wait(cells, ${CELLS.wait}, 0, ${PERIOD}); lookForParent() }`)
const context = createContext({ cells, lookForParent })

let notices = 0
let interrupts = 0
if (!hasTerminal) watch.runInContext(context)
while (isInterrupted()) {
  interrupts += 1
  const before = tell('interrupted')
  if (interrupts > 1 && !isHeard(before, PATIENCE)) endProcess('SIGINT')
}

/**
 * Waits for SIGINT. Node takes the signal on a thread of its own while such a script runs, so it arrives whatever the main thread does.
 * One script waits and looks for the parent: between two of them the signal would end the process as if nobody listened.
 */
function isInterrupted(): boolean {
  try {
    watch.runInContext(context, { breakOnSigint: true })
    return false
  } catch {
    // breaking the script off is the only way in which it throws
    return true
  }
}

/** A parent that has died left the process to another one. What hears goes on, as a job in the background may; what does not would spin for ever. */
function lookForParent(): void {
  if (process.ppid === parent) return
  const before = tell('orphaned')
  if (!isHeard(before, ORPHAN_PATIENCE)) endProcess('SIGKILL')
}

/** The notices told before this one. */
function tell(notice: Notice): number {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads has no origin
  parentPort?.postMessage(notice)
  notices += 1
  return notices - 1
}

/** Notices are heard in their order. */
function isHeard(before: number, patience: number): boolean {
  const heard = Atomics.load(cells, CELLS.heard)
  if (heard > before) return true
  return Atomics.wait(cells, CELLS.heard, heard, patience) !== 'timed-out'
}

/** Ends the process by the signal itself; nothing that it would do at its end happens, so its children are ended here. */
function endProcess(signal: 'SIGINT' | 'SIGKILL'): void {
  for (const pid of childProcesses()) {
    kill(-pid, 'SIGKILL')
    kill(pid, 'SIGKILL')
  }
  if (isatty(STDERR)) writeSync(STDERR, SHOW_CURSOR)
  kill(process.pid, signal)
  // to wait for the next signal here would catch this one
  Atomics.wait(cells, CELLS.wait, 0, PERIOD)
  kill(process.pid, 'SIGKILL')
}

/** Servers, which lead a group of their own, and what `execSync` waits for. Only Linux lists them; elsewhere the end of their stdin must do. */
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
    // it has ended, or is no group
  }
}
