import type { ApprovalRequest, JsonObject, Question } from '@troupe/schema'

/** A tool call that waits for a decision. */
export interface OpenApproval {
  readonly approvalId: string
  readonly agent: string
  readonly instance: string
  readonly toolName: string
  readonly args: JsonObject
  /** Question of the tool; `undefined` if only the call itself needs an approval. */
  readonly asks?: Question
  readonly reason?: string
  /** Wall time of the request, in ms. */
  readonly time: number
}

/** Converts an approval request to its public form. */
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
