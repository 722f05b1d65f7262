import type { StartRunBody } from '@troupe/client'
import { useEffect } from 'react'
import { client, toRequestFailure } from '../api/client.ts'
import type { PendingFile } from './attachments.ts'
import { toRunOptions } from './chat-settings.tsx'
import {
  holdQueue,
  nextMessage,
  queueStore,
  releaseQueue,
  useQueue,
  withMessage,
  withoutMessage,
  type MessageQueue,
  type QueuedMessage,
} from './message-queue.ts'
import { newId } from './new-id.ts'

/** The messages of a conversation that are not sent yet. */
export interface SendingQueue {
  readonly messages: MessageQueue
  /** True while a message is being sent. */
  readonly isSending: boolean
  /** Adds a message. It is sent as soon as no run is active, and held messages before it too. */
  add(message: Pick<QueuedMessage, 'text' | 'files' | 'settings'>): void
  remove(id: string): void
  /** Keeps the messages from being sent until `release` is called. */
  hold(): void
  release(): void
}

/**
 * Sends the queued messages of a session one after the other, while no run is active and the server responds.
 * `onSent` is called with each message that the server has accepted.
 */
export function useMessageQueue({
  agent,
  sessionId,
  isBlocked,
  onSent,
}: {
  readonly agent: string
  readonly sessionId: string
  /** True while nothing can be sent. */
  readonly isBlocked: boolean
  readonly onSent: (
    message: QueuedMessage,
    sent: { readonly runId: string; readonly sessionId: string },
  ) => void
}): SendingQueue {
  const messages = useQueue(sessionId)
  const next = isBlocked ? undefined : nextMessage(messages)
  useEffect(() => {
    if (next === undefined) return
    const { id, text, files, settings } = next
    queueStore.change(sessionId, (before) => withMessage(before, id, { state: 'sending' }))
    const options = { session: sessionId, idempotencyKey: id, ...toRunOptions(settings) }
    const send = async (): Promise<void> => {
      try {
        const { runId } = await client.start(agent, text, { ...options, ...toAttachments(files) })
        queueStore.change(sessionId, (before) => withoutMessage(before, id))
        onSent(next, { runId, sessionId })
      } catch (thrown) {
        const failure = toRequestFailure(thrown)
        queueStore.change(sessionId, (before) => withMessage(before, id, { state: 'held', failure }))
      }
    }
    void send()
  }, [agent, sessionId, next, onSent])
  return {
    messages,
    isSending: messages.some(({ state }) => state === 'sending'),
    add: (message) =>
      queueStore.change(sessionId, (before) => [
        ...releaseQueue(before),
        { ...message, id: newId(), state: 'waiting' },
      ]),
    remove: (id) => queueStore.change(sessionId, (before) => withoutMessage(before, id)),
    hold: () => queueStore.change(sessionId, holdQueue),
    release: () => queueStore.change(sessionId, releaseQueue),
  }
}

/** Converts files to the field of a request; empty if there are none. */
export function toAttachments(files: readonly PendingFile[]): Pick<StartRunBody, 'attachments'> {
  if (files.length === 0) return {}
  return { attachments: files.map(({ mediaType, data, name }) => ({ mediaType, data, filename: name })) }
}
