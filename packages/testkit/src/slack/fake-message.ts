import type { JsonObject } from '@troupe/schema'

/** A task of a streamed message. */
export interface FakeTask {
  readonly id: string
  readonly title: string
  readonly status: string
  readonly details?: string
  readonly output?: string
}

/** A message in the fake Slack. */
export interface FakeMessage {
  readonly team: string
  readonly channel: string
  readonly ts: string
  readonly threadTs?: string
  /** Text of the message, or all Markdown of the stream. */
  readonly text: string
  readonly blocks: readonly JsonObject[]
  readonly tasks: readonly FakeTask[]
  /** All task updates in order. */
  readonly taskHistory: readonly FakeTask[]
  /** `expired`: Slack has ended the stream, as it does after minutes without an update. */
  readonly state: 'posted' | 'streaming' | 'complete' | 'expired'
  readonly metadata?: JsonObject
  /** User who can see the message; `undefined` for all users. */
  readonly onlyFor?: string
}

/** Returns the first button with an action id in a message; `undefined` if there is none. */
export function buttonOf(message: FakeMessage, actionId: string): JsonObject | undefined {
  for (const block of message.blocks) {
    const elements = block['elements'] ?? []
    if (!Array.isArray(elements)) continue
    for (const element of elements as readonly JsonObject[])
      if (element['action_id'] === actionId) return element
  }
  return undefined
}
