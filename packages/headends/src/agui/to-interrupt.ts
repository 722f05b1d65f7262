import type { JsonObject } from '@troupe/schema'
import type { OpenQuestion } from '../human-input/run-questions.ts'

/** A question of a run as an AG-UI interrupt. */
export interface AguiInterrupt {
  readonly id: string
  readonly reason: string
  readonly message: string
  readonly subagentRunId?: string
  readonly responseSchema: JsonObject
  readonly metadata: JsonObject
}

const DECISION: JsonObject = {
  type: 'object',
  properties: {
    decision: { enum: ['approved', 'denied'] },
    reason: { type: 'string' },
  },
  required: ['decision'],
}

/**
 * Converts a question to an interrupt. Questions of other runs than `rootRunId` are attributed to subagents.
 */
export function toInterrupt(question: OpenQuestion, rootRunId: string): AguiInterrupt {
  const { id, runId, agent, toolName } = question
  const by = runId === rootRunId ? {} : { subagentRunId: runId }
  if (question.kind === 'approval') {
    const { args, reason } = question
    return {
      id,
      reason: 'tool_approval',
      message: reason ?? `${agent} wants to call ${toolName}.`,
      ...by,
      responseSchema: DECISION,
      metadata: { agent, toolName, args },
    }
  }
  const { question: message, choices, form } = question
  return {
    id,
    reason: 'question',
    message,
    ...by,
    responseSchema: form ?? {
      type: 'object',
      properties: { text: choices === undefined ? { type: 'string' } : { enum: choices } },
      required: ['text'],
    },
    metadata: { agent, toolName },
  }
}
