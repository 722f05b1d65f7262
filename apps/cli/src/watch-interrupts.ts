import { Worker } from 'node:worker_threads'

/**
 * Takes Ctrl-C on a thread of its own: a function of a card that never gives the main thread back would keep every signal from being
 * heard. The first is passed on; when a second one is not heard either, the process is ended from there, with its servers.
 */
export function watchInterrupts(onInterrupt: () => void): void {
  const cells = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = new Worker(new URL(`./interrupt-worker.${ending}`, import.meta.url), { workerData: cells })
  worker.unref()
  worker.on('message', () => {
    Atomics.add(cells, 1, 1)
    Atomics.notify(cells, 1)
    onInterrupt()
  })
  worker.on('error', () => {
    // no such thread can be had: the signal is heard by the main thread alone
  })
}
