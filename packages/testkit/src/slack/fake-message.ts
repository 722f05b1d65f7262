import type { JsonObject } from '@troupe/schema'

/** A row of a streamed message. */
export interface FakeTask {
  readonly id: string
  readonly title: string
  readonly status: string
  readonly details?: string
  readonly output?: string
}

/** A message as the fake Slack keeps it. */
export interface FakeMessage {
  readonly team: string
  readonly channel: string
  readonly ts: string
  readonly threadTs?: string
  /** What was posted, or all Markdown of the stream. */
  readonly text: string
  readonly blocks: readonly JsonObject[]
  readonly tasks: readonly FakeTask[]
  /** Every row as it was sent, in order. */
  readonly taskHistory: readonly FakeTask[]
  /** `expired`: Slack has ended the stream, as it does when nothing is added for minutes. */
  readonly state: 'posted' | 'streaming' | 'complete' | 'expired'
  readonly metadata?: JsonObject
  /** Only this user sees it. */
  readonly onlyFor?: string
}

/** The `value` of the first button of an action in a message; undefined: there is none. */
export function buttonOf(message: FakeMessage, actionId: string): JsonObject | undefined {
  for (const block of message.blocks) {
    const elements = block['elements'] ?? []
    if (!Array.isArray(elements)) continue
    for (const element of elements as readonly JsonObject[])
      if (element['action_id'] === actionId) return element
  }
  return undefined
}
