import type { KnownBlock } from '@slack/types'
import type { WebClient } from '@slack/web-api'
import type { Clock } from '@troupe/schema'
import { answerChunks, type AnswerView } from '../view/answer-view.ts'
import { hideChunks } from '../view/hide-chunks.ts'
import type { RedactedText } from '../view/redact-text.ts'
import { createPause } from './pause.ts'

/** A message of which more and more is there. */
export interface AnswerStream {
  /** None: Slack did not let it begin. */
  readonly ts: string | undefined
  /** It should be like this: Slack is told soon, and not more often than it likes. */
  show(view: AnswerView): void
  /** Ends it as `view`, with blocks below. False: it could not be shown as a whole, and is left as it is. Once. */
  end(view: AnswerView, blocks: readonly KnownBlock[]): Promise<boolean>
}

/** Where a message is streamed to. */
export interface StreamPlace {
  readonly channel: string
  readonly threadTs: string
  readonly user: string
  readonly team: string
}

/** Begins a message. What Slack refuses is told to `onError`, and the message can only be ended then. */
export async function openAnswerStream(
  place: StreamPlace,
  {
    client,
    clock,
    first,
    pauseMs,
    hide,
    onError,
  }: {
    readonly client: WebClient
    readonly clock: Clock
    readonly first: AnswerView
    readonly pauseMs: number
    readonly hide: RedactedText
    onError(thrown: unknown): void
  },
): Promise<AnswerStream> {
  const { channel } = place
  let sent = first
  let wanted = first
  let isBroken = false
  let pumping: Promise<void> | undefined
  const pause = createPause(clock)

  async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (thrown) {
      isBroken = true
      onError(thrown)
      return undefined
    }
  }

  async function pump(ts: string): Promise<void> {
    while (sent !== wanted && !isBroken) {
      const now = wanted
      const chunks = hideChunks(answerChunks(sent, now), hide)
      sent = now
      if (chunks.length === 0) continue
      await attempt(() => client.chat.appendStream({ channel, ts, chunks }))
      await pause.wait(pauseMs)
    }
    pumping = undefined
  }

  const started = await attempt(() =>
    client.chat.startStream({
      channel,
      thread_ts: place.threadTs,
      recipient_user_id: place.user,
      recipient_team_id: place.team,
      task_display_mode: 'timeline',
    }),
  )
  const ts = started?.ts
  return {
    ts,
    show(view) {
      wanted = view
      // not at once: it may be done before it is known that it has begun
      if (ts !== undefined) pumping ??= Promise.resolve().then(() => pump(ts))
    },
    async end(view, blocks) {
      wanted = sent
      pause.end()
      await pumping
      if (ts === undefined || isBroken) return false
      const chunks = hideChunks(answerChunks(sent, view), hide)
      await attempt(() => client.chat.stopStream({ channel, ts, chunks, blocks: [...blocks] }))
      return !isBroken
    },
  }
}
