import { Role, type Message, type Part, type Task } from '@a2a-js/sdk'
import type { Failure } from '@troupe/schema'

/** Creates a text part of a message or artifact. */
export function textPart(value: string): Part {
  return { content: { $case: 'text', value }, mediaType: 'text/plain', filename: '', metadata: undefined }
}

/** Creates a data part of a message or artifact from a JSON value. */
export function dataPart(value: unknown): Part {
  return {
    content: { $case: 'data', value },
    mediaType: 'application/json',
    filename: '',
    metadata: undefined,
  }
}

/** Converts a failure to a text part for people and a data part for programs. */
export function failureParts({ class: kind, code, message, remediation }: Failure): readonly Part[] {
  return [textPart(`${message} ${remediation}`), dataPart({ class: kind, code, message, remediation })]
}

/** Creates a message of the agent about its task. */
export function agentMessage(
  { id, contextId }: Pick<Task, 'id' | 'contextId'>,
  { messageId, parts }: { readonly messageId: string; readonly parts: readonly Part[] },
): Message {
  return {
    messageId,
    taskId: id,
    contextId,
    role: Role.ROLE_AGENT,
    parts: [...parts],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  }
}
