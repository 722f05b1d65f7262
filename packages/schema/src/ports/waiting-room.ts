import type { ApprovalDecision } from './approver.ts'

/**
 * Where calls wait for a person who decides later, perhaps when this process is gone: the root is left when nothing of it is at work any more
 * but such calls, and goes on when they are decided on.
 */
export interface WaitingRoom {
  /** Something begins that would be lost if the root were left: a call of a model or of a tool. The answer ends it. */
  work(): () => void
  /** Settles when the call is decided on while the root is not left. `announce` is called when it is. */
  wait(
    call: { readonly approvalId: string; announce(): void },
    signal: AbortSignal,
  ): Promise<ApprovalDecision>
}
