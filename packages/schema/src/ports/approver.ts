import type { JsonObject, MaybePromise } from '../text/json.ts'
import type { Decider } from '../values/decider.ts'
import type { PersonAnswer, Question } from '../values/question.ts'

/** The decision on an approval request or the answer to a question. */
export interface ApprovalDecision {
  readonly decision: 'approved' | 'denied'
  readonly reason?: string
  /** The answer to a question of a tool. */
  readonly answer?: string
  /** The values entered in a form, or the result of a call that the client executed. */
  readonly values?: JsonObject
  /** Set if further calls of the tool by this agent are approved too, for the conversation or for good. */
  readonly remember?: AnswerScope
  /** Set if a remembered decision was reused and no person was involved. */
  readonly remembered?: AnswerScope
  /** The person who decided, if known. */
  readonly by?: Decider
}

/** Duration for which a decision is remembered after its call. */
export type AnswerScope = 'session' | 'always'

/** Requests approval of one call. Must settle when `signal` aborts. */
export type Approver = (
  request: {
    readonly runId: string
    readonly approvalId: string
    readonly agent: string
    readonly instance: string
    readonly toolName: string
    readonly args: JsonObject
    /** The reason given by the hook or argument rule that asked for approval. */
    readonly reason?: string
  },
  signal: AbortSignal,
) => MaybePromise<ApprovalDecision>

/**
 * The approver of a run tree. Returns `undefined` if no answer is available; the call then waits if the run
 * tree can be suspended.
 */
export type RunTreeApprover = (...args: Parameters<Approver>) => MaybePromise<ApprovalDecision> | undefined

/**
 * Holds calls that wait for a decision, which may be made after this process has ended. When nothing else of
 * the run tree is active, the tree is suspended, and it resumes after the decision.
 */
export interface ApprovalGate {
  /** True if only calls of the client's tools may wait here, and no calls for people. */
  readonly isForClient: boolean
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

/**
 * The open requests of a run tree to people who are present. A decision from elsewhere, such as another client of
 * the same person, may come first.
 */
export interface PresentRequests {
  /** Adds a request. It can be decided from elsewhere until `close` is called. */
  add(approvalId: string): {
    /** Resolves with a decision from elsewhere. */
    readonly decision: Promise<ApprovalDecision>
    /** Aborts when the request was decided from elsewhere, so that the person is no longer asked. */
    readonly withdrawn: AbortSignal
    close(): void
  }
}

/** Asks a person a question of a tool. Must settle when `signal` aborts. */
export type Asker = (
  question: Question & {
    readonly runId: string
    readonly agent: string
    readonly instance: string
    readonly toolName: string
  },
  signal: AbortSignal,
) => MaybePromise<PersonAnswer>
