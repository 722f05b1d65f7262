import type { CallTask } from '@troupe/meta-mcp'
import type { EventProducer } from '../sse/event-stream.ts'

/** Receiver of the changes of a task. */
interface TaskFollower {
  /** Returns the task; `undefined` if it no longer exists. */
  read(): Promise<CallTask | undefined>
  /** Called with the task when its status changes, or the forms that it waits for. */
  onChange(task: CallTask): void
  /** Called once when the task has ended or can no longer be followed. */
  onEnd(): void
  /** Called if the task cannot be read. */
  onError?: ((thrown: unknown) => void) | undefined
}

/** Matches the events that can change the status. The text of an answer cannot match, because its quotes are escaped. */
const CHANGE = /"type":"(?:approval-request|approval-result|run-end)"/u
const ENDED: ReadonlySet<string> = new Set(['completed', 'cancelled', 'failed'])

/** Follows a task by the events of its run. Starts from the status `working`. Returns a function that stops it. */
export function followTask(
  events: EventProducer,
  { read, onChange, onEnd, onError }: TaskFollower,
): () => void {
  const decoder = new TextDecoder()
  let last = keyOf({ status: 'working' })
  let isChecking = false
  let isDue = false
  let isStopped = false

  function stop(): void {
    isStopped = true
    events.close()
  }

  function end(): void {
    if (isStopped) return
    stop()
    onEnd()
  }

  /** Reads the task until it has no newer events. */
  async function check(): Promise<void> {
    isDue = true
    if (isChecking || isStopped) return
    isChecking = true
    do {
      isDue = false
      const isOver = events.isOver
      const task = await read()
      if (isStopped) return
      if (task !== undefined && keyOf(task.state) !== last) {
        last = keyOf(task.state)
        onChange(task)
      }
      if (isOver || task === undefined || ENDED.has(task.state.status)) return end()
    } while (isDue)
    isChecking = false
  }

  events.onReady(() => {
    let hasChange = false
    for (let piece = events.read(); piece !== undefined; piece = events.read())
      hasChange ||= CHANGE.test(typeof piece === 'string' ? piece : decoder.decode(piece))
    if (!hasChange && !events.isOver) return
    check().catch((thrown: unknown) => {
      onError?.(thrown)
      end()
    })
  })
  return stop
}

function keyOf(state: CallTask['state']): string {
  return JSON.stringify([state.status, 'inputRequests' in state ? Object.keys(state.inputRequests) : []])
}
