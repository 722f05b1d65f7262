import type { FakeMessage } from './fake-message.ts'

/** All messages of the fake workspaces. */
export interface FakeMessageStore {
  add(message: Omit<FakeMessage, 'ts'>): FakeMessage
  find(key: MessageKey): FakeMessage | undefined
  change(message: FakeMessage, change: Partial<FakeMessage>): FakeMessage
  remove(message: FakeMessage): void
  all(): readonly FakeMessage[]
}

export interface MessageKey {
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
