import { MissingRequiredClientCapabilityError, SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server'
import { declaresTasks, TASK_CAPABILITIES, toTaskNotification } from '@troupe/meta-mcp'
import { toFailure } from '@troupe/schema'
import { z } from 'zod'
import type { EventFeeds } from '../feeds/event-feeds.ts'
import type { Caller, HeadendContext } from '../headend/headend.ts'
import { readJson } from '../request/read-json.ts'
import { createSseBuffer, eventStream, sseBlock, withClose } from '../sse/event-stream.ts'
import { followTask } from './follow-task.ts'
import { createRunTasks, type TaskRuns } from './run-tasks.ts'

/** The streams of clients that listen to their tasks. */
export interface TaskNotifications {
  /**
   * Answers `subscriptions/listen` with `taskIds`; `undefined` for every other request. `check` answers the request
   * without its tasks, and rejects it if it is invalid.
   */
  answer(
    request: Request,
    caller: Caller,
    check: (request: Request) => Promise<Response>,
  ): Promise<Response | undefined>
  /** Ends all streams. */
  close(): void
}

/** Dependencies of task notifications. */
interface TaskNotificationParts extends Pick<HeadendContext, 'clock' | 'onError'> {
  readonly runs: TaskRuns
  readonly feeds: Pick<EventFeeds, 'follow'>
}

/** Maximum number of tasks that one request listens to. Further ones are not accepted. */
const MAX_TASKS = 100
const LISTEN = 'subscriptions/listen'
const INTERNAL_ERROR = -32_603

const listenBody = z.object({
  id: z.union([z.string(), z.number()]),
  params: z.object({
    _meta: z.unknown(),
    notifications: z.object({ taskIds: z.array(z.string()).min(1) }),
  }),
})

/** Creates an empty set of streams. */
export function createTaskNotifications(parts: TaskNotificationParts): TaskNotifications {
  const open = new Set<() => void>()
  return {
    async answer(request, caller, check) {
      if (request.headers.get('mcp-method') !== LISTEN) return undefined
      const body = await readJson(request.clone(), listenBody)
      if (!body.ok) return undefined
      const checked = await check(request)
      if (checked.headers.get('content-type') !== 'text/event-stream') return checked
      await checked.body?.cancel()
      const { id, params } = body.value
      const { _meta: meta, notifications } = params
      if (!declaresTasks(meta)) {
        const { code, message, data } = new MissingRequiredClientCapabilityError({
          requiredCapabilities: TASK_CAPABILITIES,
        })
        return Response.json({ jsonrpc: '2.0', id, error: { code, message, data } }, { status: 400 })
      }
      const taskIds = [...new Set(notifications.taskIds)].slice(0, MAX_TASKS)
      try {
        return await openStream({ id, taskIds }, { ...parts, caller, open })
      } catch (thrown) {
        const { code, message } = toFailure(thrown)
        if (code !== 'rate_limited') throw thrown
        return Response.json({ jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message } })
      }
    },
    close() {
      for (const end of open) end()
    },
  }
}

/**
 * Opens the stream of a client. It sends each change of the status of the tasks that exist for the caller, and ends
 * when all of them have ended. A task that no longer works gets a notification at once.
 */
async function openStream(
  { id, taskIds }: { readonly id: string | number; readonly taskIds: readonly string[] },
  {
    runs,
    feeds,
    clock,
    onError,
    caller,
    open,
  }: TaskNotificationParts & { readonly caller: Caller; readonly open: Set<() => void> },
): Promise<Response> {
  const tasks = createRunTasks(runs, caller.principal)
  const found = await Promise.all(taskIds.map((taskId) => tasks.get(taskId)))
  const accepted = found.flatMap((task) => (task === undefined ? [] : [task.taskId]))
  const buffer = createSseBuffer({ onOverflow: () => caller.cut() })
  const meta = { [SUBSCRIPTION_ID_META_KEY]: id }
  const send = (message: object): void =>
    buffer.push(sseBlock({ jsonrpc: '2.0', ...message }, { event: 'message' }))
  const notify = ({ method, params }: { readonly method: string; readonly params: object }): void =>
    send({ method, params: { ...params, _meta: meta } })
  const followed = new Map<string, () => void>()

  function leave(): void {
    open.delete(end)
    for (const stop of followed.values()) stop()
    followed.clear()
  }

  function end(): void {
    leave()
    send({ id, result: { resultType: 'complete', _meta: meta } })
    buffer.end()
  }

  notify({
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: { taskIds: accepted } },
  })
  try {
    for (const taskId of accepted) {
      const stop = followTask(feeds.follow({ runId: taskId, after: 0 }, caller.principal), {
        read: () => tasks.get(taskId),
        onChange: (task) => notify(toTaskNotification(task)),
        onEnd() {
          followed.delete(taskId)
          if (followed.size === 0) end()
        },
        onError,
      })
      followed.set(taskId, stop)
    }
  } catch (thrown) {
    leave()
    throw thrown
  }
  if (followed.size === 0) end()
  else open.add(end)
  return eventStream(withClose(buffer, leave), { clock, caller })
}
