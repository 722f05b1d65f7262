import type { A2ATask, TaskUpdate } from './a2a-task.ts'

/** Yields the task as it is, then every update until the task is idle or the client disconnects. */
export async function* followTask(
  task: A2ATask,
  signal: AbortSignal,
): AsyncGenerator<TaskUpdate, void, undefined> {
  const pending: TaskUpdate[] = [{ $case: 'task', value: task.view() }]
  let wake: (() => void) | undefined
  const notify = (): void => wake?.()
  const unfollow = task.follow((update) => {
    pending.push(update)
    notify()
  })
  signal.addEventListener('abort', notify, { once: true })
  try {
    while (!signal.aborted) {
      yield* pending.splice(0)
      if (pending.length > 0) continue
      if (task.isIdle()) return
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  } finally {
    signal.removeEventListener('abort', notify)
    unfollow()
  }
}

/** Resolves when the task is idle or the client has disconnected. */
export async function waitUntilIdle(task: A2ATask, signal: AbortSignal): Promise<void> {
  for await (const update of followTask(task, signal)) void update
}
