import type { JsonObject, MaybePromise } from '../json.ts'

/** What asking a person gives. */
export interface ApprovalDecision {
  readonly decision: 'approved' | 'denied'
  readonly reason?: string
  /** What was said to a question of a tool. */
  readonly answer?: string
  /** The same for a form. */
  readonly values?: JsonObject
  /** Approved for more than this call: the tool of this agent is not asked about again in the conversation, or at all. */
  readonly remember?: AnswerScope
  /** Nobody was asked now: it had been said for so long. */
  readonly remembered?: AnswerScope
}

/** How long an answer holds beyond its call. */
export type AnswerScope = 'session' | 'always'

/** Asks a person for one call. Must settle when `signal` aborts. */
export type Approver = (
  request: {
    readonly runId: string
    readonly approvalId: string
    readonly agent: string
    readonly instance: string
    readonly toolName: string
    readonly args: JsonObject
    /** Why a hook, or a rule about arguments, asks. */
    readonly reason?: string
  },
  signal: AbortSignal,
) => MaybePromise<ApprovalDecision>

/** The approver of a root, which may know no answer: the call waits then, where the root can. */
export type RootApprover = (...asked: Parameters<Approver>) => MaybePromise<ApprovalDecision> | undefined
