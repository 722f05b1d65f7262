import { useSyncExternalStore } from 'react'
import type { RequestFailure } from '../api/client.ts'
import type { PendingFile } from './attachments.ts'
import type { ChatSettings } from './chat-settings.tsx'

/** A message that was not sent yet. */
export interface QueuedMessage {
  /** Identifies the message to the server too, so that a repeated request does not send it twice. */
  readonly id: string
  readonly text: string
  readonly files: readonly PendingFile[]
  readonly settings: ChatSettings
  /** `held`: the answer before it was stopped, or it could not be sent; it is sent on request. */
  readonly state: 'waiting' | 'sending' | 'held'
  /** The reason why it could not be sent. */
  readonly failure?: RequestFailure
}

/** The queue of a conversation, in the order in which messages are sent. */
export type MessageQueue = readonly QueuedMessage[]

/** The queues of all conversations of this page. */
interface QueueStore {
  get(key: string): MessageQueue
  change(key: string, update: (queue: MessageQueue) => MessageQueue): void
  subscribe(onChange: () => void): () => void
}

const EMPTY: MessageQueue = []

/** Creates an empty store. */
export function createQueueStore(): QueueStore {
  const queues = new Map<string, MessageQueue>()
  const listeners = new Set<() => void>()
  return {
    get: (key) => queues.get(key) ?? EMPTY,
    change(key, update) {
      const queue = update(queues.get(key) ?? EMPTY)
      if (queue.length === 0) queues.delete(key)
      else queues.set(key, queue)
      for (const listener of listeners) listener()
    },
    subscribe(onChange) {
      listeners.add(onChange)
      return () => listeners.delete(onChange)
    },
  }
}

/** The queues of this page. They stay while another page or conversation is shown. */
export const queueStore: QueueStore = createQueueStore()

/** Returns the queue of a conversation, with updates. */
export function useQueue(key: string): MessageQueue {
  return useSyncExternalStore(queueStore.subscribe, () => queueStore.get(key))
}

/** Returns the message to send now; `undefined` if there is none, or if one is being sent or held. */
export function nextMessage(queue: MessageQueue): QueuedMessage | undefined {
  const [head] = queue
  return head?.state === 'waiting' ? head : undefined
}

/** Changes one message. */
export function withMessage(queue: MessageQueue, id: string, change: Partial<QueuedMessage>): MessageQueue {
  return queue.map((message) => (message.id === id ? { ...message, ...change } : message))
}

/** Removes a message. */
export function withoutMessage(queue: MessageQueue, id: string): MessageQueue {
  return queue.filter((message) => message.id !== id)
}

/** Holds the first message, and with it the ones after it. */
export function holdQueue(queue: MessageQueue): MessageQueue {
  return queue.map((message, index) =>
    index === 0 && message.state === 'waiting' ? { ...message, state: 'held' } : message,
  )
}

/** Sends held messages again. */
export function releaseQueue(queue: MessageQueue): MessageQueue {
  return queue.map((message) => {
    if (message.state !== 'held') return message
    const { failure: _, ...rest } = message
    return { ...rest, state: 'waiting' }
  })
}
