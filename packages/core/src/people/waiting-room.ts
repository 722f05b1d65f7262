import type { ApprovalDecision, Clock, WaitingRoom } from '@troupe/schema'

/** The waiting room of a root, as its host holds it. */
export interface OpenWaitingRoom extends WaitingRoom {
  /** Decides on a call that waits; false: no such call does. */
  decide(approvalId: string, decision: ApprovalDecision): boolean
}

interface WaitingCall {
  announce(): void
  decide(decision: ApprovalDecision): void
}

/** Between two calls a run puts something together; one that takes longer is done again when the root goes on. */
const REST_MS = 50

/** A room for one root. `leave` is called once nothing has been at work for a moment while calls wait, with their approvals. */
export function createWaitingRoom({
  clock,
  leave,
}: {
  readonly clock: Clock
  leave(approvalIds: readonly string[]): void
}): OpenWaitingRoom {
  const calls = new Map<string, WaitingCall>()
  let atWork = 0
  let cancel: (() => void) | undefined

  /** After every change: the rest begins anew, or ends. */
  function watch(): void {
    cancel?.()
    cancel = atWork === 0 && calls.size > 0 ? clock.after(REST_MS, onRest) : undefined
  }

  function onRest(): void {
    cancel = undefined
    for (const call of calls.values()) call.announce()
    leave([...calls.keys()])
  }

  function end(approvalId: string): void {
    calls.delete(approvalId)
    watch()
  }

  return {
    work() {
      atWork += 1
      watch()
      return () => {
        atWork -= 1
        watch()
      }
    },
    wait({ approvalId, announce }, signal) {
      return new Promise((decide) => {
        calls.set(approvalId, { announce, decide })
        signal.addEventListener('abort', () => end(approvalId), { once: true })
        watch()
      })
    },
    decide(approvalId, decision) {
      const call = calls.get(approvalId)
      call?.decide(decision)
      if (call !== undefined) end(approvalId)
      return call !== undefined
    },
  }
}
