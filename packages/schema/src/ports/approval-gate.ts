import type { ApprovalDecision } from './approver.ts'

/**
 * Holds calls that wait for a decision, which may be made after this process has ended. When nothing else of
 * the run tree is active, the tree is suspended, and it resumes after the decision.
 */
export interface ApprovalGate {
  /**
   * Registers work that would be lost if the run tree were suspended: a call of a model or a tool. Returns a
   * function that ends it.
   */
  startWork(): () => void
  /**
   * Resolves with the decision on the call if it is made before the run tree is suspended. `announce` is
   * called when the tree is suspended.
   */
  waitForDecision(
    call: { readonly approvalId: string; announce(): void },
    signal: AbortSignal,
  ): Promise<ApprovalDecision>
}
