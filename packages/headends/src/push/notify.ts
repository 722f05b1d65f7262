import type { Clock } from '@troupe/schema'
import type { ListedApproval } from '../run-service/approvals.ts'
import type { RunService } from '../run-service/run-service.ts'
import { isEndState } from '../run-service/run-view.ts'
import type { WebPushMessage } from './send-web-push.ts'
import type { WebPushSubscriptions } from './subscriptions.ts'
import type { WebPushSubscription } from './web-push-store.ts'

/** Delay in ms after a change of a run, so that changes are read together. */
const ACTIVITY_MS = 250
/** Lifetime of a message about the end of a run, in s. */
const END_LIFETIME_S = 3600

/** Dependencies of the notifications. */
interface NotifySources {
  readonly runService: Pick<RunService, 'approvals' | 'onActivity' | 'changedRuns'>
  readonly subscriptions: Pick<WebPushSubscriptions, 'list'>
  readonly clock: Pick<Clock, 'now' | 'after'>
  /** Sends a message. Never rejects. */
  send(message: WebPushMessage, subscription: WebPushSubscription): Promise<void>
  onError?(thrown: unknown): void
}

/** Notifications of the people who have subscribed. */
export interface WebPushNotifications {
  /** Reads the open approvals of a principal, so that only later ones are sent. */
  prepare(principal: string): Promise<void>
  close(): void
}

/**
 * Notifies principals of approvals that open in runs of this process, and of the ends of runs. Approvals that were open before
 * are not sent.
 */
export function startNotifications({
  runService,
  subscriptions,
  clock,
  send,
  onError,
}: NotifySources): WebPushNotifications {
  const known = new Map<string, ReadonlySet<string>>()
  const runs = runService.changedRuns()
  let cancel: (() => void) | undefined
  let last: Promise<void> = Promise.resolve()

  /** Returns the approvals that have opened since the last call; none at the first call. */
  async function openedApprovals(principal: string): Promise<readonly ListedApproval[]> {
    const { approvals } = await runService.approvals(principal)
    const before = known.get(principal)
    known.set(principal, new Set(approvals.map(keyOf)))
    return before === undefined ? [] : approvals.filter((approval) => !before.has(keyOf(approval)))
  }

  async function check(): Promise<void> {
    const all = await subscriptions.list()
    const changed = (await runs.read()) ?? []
    const sent: Promise<void>[] = []
    for (const principal of new Set(all.map((one) => one.principal))) {
      const own = all.filter((one) => one.principal === principal)
      for (const approval of await openedApprovals(principal))
        sent.push(...own.map((one) => send(approvalMessage(approval, clock.now()), one)))
      for (const { run } of changed.filter((one) => one.principal === principal && isEndState(one.run.state)))
        sent.push(...own.filter((one) => one.runs).map((one) => send(endMessage(run), one)))
    }
    await Promise.all(sent)
  }

  function enqueue(work: () => Promise<unknown>): Promise<void> {
    const next = last.then(async () => void (await work())).catch((thrown: unknown) => onError?.(thrown))
    last = next
    return next
  }

  const stop = runService.onActivity(() => {
    cancel ??= clock.after(ACTIVITY_MS, () => {
      cancel = undefined
      void enqueue(check)
    })
  })
  void enqueue(check)
  return {
    prepare: (principal) =>
      enqueue(async () => (known.has(principal) ? undefined : openedApprovals(principal))),
    close() {
      cancel?.()
      stop()
    },
  }
}

function keyOf({ runId, approvalId }: ListedApproval): string {
  return `${runId} ${approvalId}`
}

function addressOf(runId: string): string {
  return `#/runs/${encodeURIComponent(runId)}`
}

function approvalMessage(approval: ListedApproval, now: number): WebPushMessage {
  const { runId, agent, toolName, asks, expiresAt } = approval
  return {
    kind: asks === undefined ? 'approval' : 'question',
    agent,
    about: toolName,
    address: addressOf(runId),
    subject: keyOf(approval),
    lifetime: (expiresAt - now) / 1000,
  }
}

function endMessage({
  runId,
  agent,
  state,
}: {
  readonly runId: string
  readonly agent: string
  readonly state: string
}): WebPushMessage {
  return {
    kind: 'end',
    agent,
    about: state,
    address: addressOf(runId),
    subject: runId,
    lifetime: END_LIFETIME_S,
  }
}
