import {
  TaskState,
  type ListTasksRequest,
  type ListTasksResponse,
  type Task,
  type Message,
  type StreamResponse,
} from '@a2a-js/sdk'

/**
 * The tasks of all agents in memory: active ones, and those that ended last. Callers see only the tasks of
 * their own principal.
 */
export interface TaskStore {
  add(task: A2ATask): void
  /** Returns the task if it belongs to the principal and the agent. */
  find(id: string, owner: TaskOwner): A2ATask | undefined
  /** Returns a page of tasks; `undefined` if the page token names no known task. */
  list(request: ListTasksRequest, owner: TaskOwner): ListTasksResponse | undefined
  /** Cancels all tasks that wait for an answer, because clients can no longer send one. */
  drain(): void
  /** Cancels all active tasks. */
  close(): Promise<void>
}

/** The principal and the agent that tasks belong to. */
interface TaskOwner {
  readonly principal: string
  readonly agent: string
}

/** Maximum number of tasks. Above it, tasks that have ended are dropped, the oldest first. */
const MAX_TASKS = 1000
const DEFAULT_PAGE_SIZE = 50

/** Creates an empty task store. */
export function createTaskStore(): TaskStore {
  const tasks = new Map<string, A2ATask>()

  function evictOldest(): void {
    if (tasks.size <= MAX_TASKS) return
    for (const [id, task] of tasks) {
      if (tasks.size <= MAX_TASKS) return
      if (task.isOver()) tasks.delete(id)
    }
  }

  return {
    add(task) {
      tasks.set(task.id, task)
      evictOldest()
    },
    find(id, { principal, agent }) {
      const task = tasks.get(id)
      return task?.principal === principal && task.agent === agent ? task : undefined
    },
    list(request, { principal, agent }) {
      const own = [...tasks.values()].filter((task) => task.principal === principal && task.agent === agent)
      const all = own
        .map((task) => task.view())
        .filter((view) => matchesRequest(view, request))
        .toReversed()
        .toSorted((a, b) => updatedAt(b) - updatedAt(a))
      const pageSize = Math.min(request.pageSize ?? DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE)
      const from = request.pageToken === '' ? 0 : all.findIndex(({ id }) => id === request.pageToken)
      if (from < 0) return undefined
      const page = all.slice(from, from + pageSize)
      return {
        tasks: page.map((task) => (request.includeArtifacts === true ? task : { ...task, artifacts: [] })),
        nextPageToken: all[from + pageSize]?.id ?? '',
        pageSize,
        totalSize: all.length,
      }
    },
    drain() {
      for (const task of tasks.values()) if (!task.isOver() && task.isIdle()) void task.cancel()
    },
    async close() {
      const open = [...tasks.values()].filter((task) => !task.isOver())
      await Promise.all(open.map((task) => task.cancel()))
    },
  }
}

function matchesRequest(
  task: Task,
  { contextId: context, status: state, statusTimestampAfter: after }: ListTasksRequest,
): boolean {
  if (context !== '' && task.contextId !== context) return false
  if (state !== TaskState.TASK_STATE_UNSPECIFIED && task.status?.state !== state) return false
  return after === undefined || after === '' || updatedAt(task) > Date.parse(after)
}

/** Returns the time of the last change of a task's state, in ms since 1970. */
function updatedAt({ status }: Task): number {
  return Date.parse(status?.timestamp ?? '')
}

/** An update of a task. */
export type TaskUpdate = NonNullable<StreamResponse['payload']>

/** A task: one run, as its client sees and controls it. */
export interface A2ATask {
  readonly id: string
  readonly agent: string
  readonly principal: string
  /** Returns the current state of the task. */
  view(): Task
  /** Returns true if the run has ended. */
  isOver(): boolean
  /** Returns true if the run has ended or waits for its client. */
  isIdle(): boolean
  /**
   * Adds a listener for updates. Returns a function that removes it. A task without listeners is cancelled
   * unless it is idle or detached.
   */
  follow(listener: (update: TaskUpdate) => void): () => void
  /** Lets the task continue without listeners. */
  detach(): void
  /**
   * Passes an answer to the run, or asks again if the answer is not clear. Returns false if the message names a
   * question that is not open.
   */
  answer(message: Message): boolean
  /** Cancels the run. Resolves when it has ended. */
  cancel(): Promise<void>
}

/**
 * Yields the task as it is, then every update until the client disconnects, or until the task has ended or, with
 * `until: 'idle'`, waits for its client.
 */
export async function* followTask(
  task: A2ATask,
  { signal, until }: { readonly signal: AbortSignal; readonly until: 'idle' | 'over' },
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
      if (until === 'idle' ? task.isIdle() : task.isOver()) return
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
  for await (const update of followTask(task, { signal, until: 'idle' })) void update
}

/** Maximum number of tasks on one page. */
const MAX_PAGE_SIZE = 100

/** Returns the problem of a request for a list of tasks; `undefined` if it is valid. */
export function listProblem({
  pageSize,
  status,
  statusTimestampAfter: after = '',
}: Pick<ListTasksRequest, 'pageSize' | 'status' | 'statusTimestampAfter'>): string | undefined {
  if (pageSize !== undefined && !(Number.isInteger(pageSize) && pageSize >= 1 && pageSize <= MAX_PAGE_SIZE))
    return `pageSize: must be an integer from 1 to ${MAX_PAGE_SIZE}.`
  if (status === TaskState.UNRECOGNIZED) return 'status: not a task state.'
  if (after !== '' && Number.isNaN(Date.parse(after))) return 'statusTimestampAfter: not a valid time.'
  return undefined
}
