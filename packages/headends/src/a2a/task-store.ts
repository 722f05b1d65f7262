import { TaskState, type ListTasksRequest, type ListTasksResponse, type Task } from '@a2a-js/sdk'
import type { A2ATask } from './a2a-task.ts'
import { LARGEST_PAGE } from './list-problem.ts'

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
export interface TaskOwner {
  readonly principal: string
  readonly agent: string
}

/** Number of tasks above which ended ones are dropped, the oldest first. */
const MOST_ENDED = 1000
const PAGE = 50

/** Creates an empty task store. */
export function createTaskStore(): TaskStore {
  const tasks = new Map<string, A2ATask>()

  function forgetOldest(): void {
    if (tasks.size <= MOST_ENDED) return
    for (const [id, task] of tasks) {
      if (tasks.size <= MOST_ENDED) return
      if (task.isOver()) tasks.delete(id)
    }
  }

  return {
    add(task) {
      tasks.set(task.id, task)
      forgetOldest()
    },
    find(id, { principal, agent }) {
      const task = tasks.get(id)
      return task?.principal === principal && task.agent === agent ? task : undefined
    },
    list(request, { principal, agent }) {
      const own = [...tasks.values()].filter((task) => task.principal === principal && task.agent === agent)
      const all = own
        .map((task) => task.view())
        .filter((view) => isWanted(view, request))
        .toReversed()
      const pageSize = Math.min(request.pageSize ?? PAGE, LARGEST_PAGE)
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

function isWanted(
  { contextId, status }: Task,
  { contextId: context, status: state, statusTimestampAfter: after }: ListTasksRequest,
): boolean {
  if (context !== '' && contextId !== context) return false
  if (state !== TaskState.TASK_STATE_UNSPECIFIED && status?.state !== state) return false
  return after === undefined || after === '' || Date.parse(status?.timestamp ?? '') > Date.parse(after)
}
