import type { ApprovalRequest, JsonObject, Question } from '@troupe/schema'

/** A call that waits for a decision. */
export interface OpenApproval {
  readonly approvalId: string
  readonly agent: string
  readonly instance: string
  readonly toolName: string
  readonly args: JsonObject
  /** A question of the tool; none: whether the call may be made. */
  readonly asks?: Question
  readonly reason?: string
  /** When it asked, wall time in ms. */
  readonly time: number
}

/** As it is told to clients. */
export function toOpenApproval(request: ApprovalRequest): OpenApproval {
  const { approvalId, agent, instance, toolName, args, asks, reason, time } = request
  return {
    approvalId,
    agent,
    instance,
    toolName,
    args,
    time,
    ...(asks === undefined ? {} : { asks }),
    ...(reason === undefined ? {} : { reason }),
  }
}
