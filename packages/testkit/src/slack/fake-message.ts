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

/** All messages of the fake workspaces. */
export interface FakeMessageStore {
  add(message: Omit<FakeMessage, 'ts'>): FakeMessage
  find(key: MessageKey): FakeMessage | undefined
  change(message: FakeMessage, change: Partial<FakeMessage>): FakeMessage
  remove(message: FakeMessage): void
  all(): readonly FakeMessage[]
}

interface MessageKey {
  readonly team: string
  readonly channel: string
  readonly ts: string
}

const FIRST_SECOND = 1_790_000_000

/** Creates a message store. Every message gets a unique timestamp, which is its id, as in Slack. */
export function createFakeMessageStore(): FakeMessageStore {
  const messages = new Map<string, FakeMessage>()
  let issued = 0
  const keyOf = ({ team, channel, ts }: MessageKey): string => `${team}/${channel}/${ts}`

  return {
    add(draft) {
      issued += 1
      const message = { ...draft, ts: `${FIRST_SECOND + issued}.${String(issued).padStart(6, '0')}` }
      messages.set(keyOf(message), message)
      return message
    },
    find: (key) => messages.get(keyOf(key)),
    change(message, change) {
      const changed = { ...message, ...change }
      messages.set(keyOf(message), changed)
      return changed
    },
    remove: (message) => void messages.delete(keyOf(message)),
    all: () => [...messages.values()],
  }
}
