import type { ApprovalDecision } from '@troupe/schema'
import type { PresentRequests } from '@troupe/schema/ports'

/** The open requests of a run tree to people who are present, as controlled by its host. */
export interface OpenRequestsControl extends PresentRequests {
  /** True if a request waits for its answer. */
  readonly hasAny: boolean
  /** Decides on a request before the person who is present does. Returns false if it is not open. */
  decide(approvalId: string, decision: ApprovalDecision): boolean
}

/** Creates the requests of one run tree, with none open. */
export function createOpenRequests(): OpenRequestsControl {
  const open = new Map<string, (decision: ApprovalDecision) => void>()
  return {
    get hasAny() {
      return open.size > 0
    },
    add(approvalId) {
      const { promise: decision, resolve } = Promise.withResolvers<ApprovalDecision>()
      const withdrawal = new AbortController()
      open.set(approvalId, (decided) => {
        open.delete(approvalId)
        resolve(decided)
        withdrawal.abort()
      })
      return { decision, withdrawn: withdrawal.signal, close: () => void open.delete(approvalId) }
    },
    decide(approvalId, decision) {
      const settle = open.get(approvalId)
      settle?.(decision)
      return settle !== undefined
    },
  }
}
