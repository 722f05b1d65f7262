import type { A2ATask, TaskNews } from './a2a-task.ts'

/** Yields the task as it is, then every update until the task is idle or the client disconnects. */
export async function* followTask(
  task: A2ATask,
  signal: AbortSignal,
): AsyncGenerator<TaskNews, void, undefined> {
  const heard: TaskNews[] = [{ $case: 'task', value: task.view() }]
  let wake: (() => void) | undefined
  const ring = (): void => wake?.()
  const leave = task.follow((news) => {
    heard.push(news)
    ring()
  })
  signal.addEventListener('abort', ring, { once: true })
  try {
    while (!signal.aborted) {
      yield* heard.splice(0)
      if (heard.length > 0) continue
      if (task.isResting()) return
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  } finally {
    signal.removeEventListener('abort', ring)
    leave()
  }
}

/** Resolves when the task is idle or the client has disconnected. */
export async function untilRest(task: A2ATask, signal: AbortSignal): Promise<void> {
  for await (const news of followTask(task, signal)) void news
}
