import { fork } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

/** A program of a test in a process of its own. */
export interface StartedProcess<Report> {
  /** Sends a message to the process. */
  tell(message: unknown): void
  /** Returns its next message. Rejects if it ends first. */
  next(): Promise<Report>
}

/** Starts a program next to this file, with a heap of at most `heapMib`, and ends it with the test. */
export function startProcess<Report>(
  file: string,
  args: readonly string[] = [],
  { heapMib }: { readonly heapMib?: number } = {},
): StartedProcess<Report> {
  const child = fork(new URL(file, import.meta.url), [...args], {
    execArgv: [
      '--conditions=@troupe/source',
      ...(heapMib === undefined ? [] : [`--max-old-space-size=${heapMib}`]),
    ],
    stdio: 'inherit',
  })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    if (child.connected) child.disconnect()
    await ended
  })
  return {
    tell: (message) => void child.send(message as object),
    async next() {
      const heard = once(child, 'message') as Promise<[Report]>
      const gone = ended.then(([code]) => Promise.reject(new TypeError(`${file} has ended: ${String(code)}`)))
      const [report] = await Promise.race([heard, gone])
      return report
    },
  }
}
