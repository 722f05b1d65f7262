import type { ApprovalDecision, Clock, ApprovalGate } from '@troupe/schema'

/** The approval gate of a run tree, as controlled by its host. */
export interface ApprovalGateControl extends ApprovalGate {
  /** Decides on a waiting call. Returns false if no such call is waiting. */
  decide(approvalId: string, decision: ApprovalDecision): boolean
}

interface WaitingCall {
  announce(): void
  decide(decision: ApprovalDecision): void
}

/**
 * Idle time in ms after which the run tree is suspended. It covers the work between two calls; longer work is
 * repeated on resume.
 */
const IDLE_MS = 50

/**
 * Creates the approval gate of one run tree. Suspends it, with the ids of its open approvals, once calls are
 * waiting and nothing has been active for a moment.
 */
export function createApprovalGate({
  clock,
  suspend,
}: {
  readonly clock: Clock
  suspend(approvalIds: readonly string[]): void
}): ApprovalGateControl {
  const calls = new Map<string, WaitingCall>()
  let activeCount = 0
  let cancel: (() => void) | undefined

  /** Restarts or clears the idle timer. Called after every change. */
  function watch(): void {
    cancel?.()
    cancel = activeCount === 0 && calls.size > 0 ? clock.after(IDLE_MS, onIdle) : undefined
  }

  function onIdle(): void {
    cancel = undefined
    for (const call of calls.values()) call.announce()
    suspend([...calls.keys()])
  }

  function end(approvalId: string): void {
    calls.delete(approvalId)
    watch()
  }

  return {
    startWork() {
      activeCount += 1
      watch()
      return () => {
        activeCount -= 1
        watch()
      }
    },
    waitForDecision({ approvalId, announce }, signal) {
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

/** Activity of a tool in a run tree that can be suspended. Waiting for human input is not activity. */
export interface ActivityTracker {
  /** Marks the tool as waiting for human input. Returns a function that ends the wait. */
  pause(): () => void
  end(): void
}

/** Marks a tool as active. */
export function trackActivity(gate: ApprovalGate): ActivityTracker {
  let done: (() => void) | undefined = gate.startWork()
  let resting = 0
  return {
    pause() {
      resting += 1
      done?.()
      done = undefined
      return () => {
        resting -= 1
        if (resting === 0) done = gate.startWork()
      }
    },
    end: () => done?.(),
  }
}
