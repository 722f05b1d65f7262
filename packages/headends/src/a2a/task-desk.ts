import { TaskState, type ListTasksRequest, type ListTasksResponse, type Task } from '@a2a-js/sdk'
import type { A2ATask } from './a2a-task.ts'
import { LARGEST_PAGE } from './list-problem.ts'

/** The tasks of all agents, in memory: those at work, and those that ended last. Everybody sees those of their own principal only. */
export interface TaskDesk {
  add(task: A2ATask): void
  /** The task of an id, where it belongs to the principal and the agent. */
  find(id: string, owner: TaskOwner): A2ATask | undefined
  /** Undefined: what its page token names is not there, or not any more. */
  list(request: ListTasksRequest, owner: TaskOwner): ListTasksResponse | undefined
  /** Stops all that wait for an answer, which nobody can give any more. */
  drain(): void
  /** Stops all that are at work. */
  close(): Promise<void>
}

/** Whose tasks are looked at. */
export interface TaskOwner {
  readonly principal: string
  readonly agent: string
}

/** Tasks that have ended and are still known; the oldest go first. */
const MOST_ENDED = 1000
const PAGE = 50

/** No tasks yet. */
export function createTaskDesk(): TaskDesk {
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
      for (const task of tasks.values()) if (!task.isOver() && task.isResting()) void task.cancel()
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
