/** The part of the scheduler of newer browsers that is used here. */
interface BrowserScheduler {
  yield?(): Promise<void>
}

/** Calls `task` in a new task of the browser, after those that wait, such as input. */
export function yieldToBrowser(task: () => void): void {
  const { scheduler } = globalThis as { readonly scheduler?: BrowserScheduler }
  if (scheduler?.yield !== undefined) return void scheduler.yield().then(task)
  // a timer would wait for at least 4 ms
  const { port1, port2 } = new MessageChannel()
  port1.addEventListener('message', () => {
    port1.close()
    task()
  })
  port1.start()
  port2.postMessage(undefined)
}
