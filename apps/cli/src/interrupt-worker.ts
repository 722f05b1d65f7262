import { readFileSync, writeSync } from 'node:fs'
import process from 'node:process'
import { isatty } from 'node:tty'
import { createContext, Script } from 'node:vm'
import { parentPort, workerData } from 'node:worker_threads'

/** How long the main thread may take to hear of an interrupt before it counts as blocked, in ms. */
const PATIENCE = 300
/** Cells shared with the main thread: the first is only waited for, the second counts the interrupts it has heard. */
const WAIT = 0
const HEARD = 1
const SHOW_CURSOR = '\u001B[?25h\n'
const STDERR = 2

const cells = workerData as Int32Array
const context = createContext({ cells })
const wait = new Script(`Atomics.wait(cells, ${WAIT}, 0)`)

let interrupts = 0
while (isInterrupted()) {
  interrupts += 1
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads has no origin
  parentPort?.postMessage('SIGINT')
  if (interrupts > 1 && isBlocked()) endProcess()
}

/** Waits for SIGINT. Node takes the signal on a thread of its own while such a script runs, so it arrives whatever the main thread does. */
function isInterrupted(): boolean {
  try {
    wait.runInContext(context, { breakOnSigint: true })
    return false
  } catch {
    // breaking the script off is the only way in which it throws
    return true
  }
}

function isBlocked(): boolean {
  const heard = Atomics.load(cells, HEARD)
  return heard < interrupts && Atomics.wait(cells, HEARD, heard, PATIENCE) === 'timed-out'
}

/** Ends the process by the signal itself; nothing that it would do at its end happens, so its servers are ended here. */
function endProcess(): void {
  for (const pid of childProcesses()) kill(-pid, 'SIGKILL')
  if (isatty(STDERR)) writeSync(STDERR, SHOW_CURSOR)
  kill(process.pid, 'SIGINT')
}

/** Those that lead a group of their own, as servers do. Only Linux lists them; elsewhere the end of their stdin must do. */
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
