import type { AnyChunk, KnownBlock } from '@slack/types'
import type { WebClient } from '@slack/web-api'
import type { Clock } from '@troupe/schema'
import type { AnswerProgress } from '../intake/slack-request.ts'
import { abandonAnswer, answerChunks, continueAnswer, type AnswerView } from '../view/answer-view.ts'
import { hideChunks, type TextRedactor } from '../view/hide-chunks.ts'
import { isStreamOver } from '../context/slack-api.ts'

/** A message that is streamed to Slack. It is posted with its first content. */
export interface AnswerStream {
  /** Sets the content to show. Sends it soon, with at least `pauseMs` between two calls. */
  show(view: AnswerView): void
  /**
   * Finishes the message with `view` and trailing blocks. Returns false if Slack refused a part of it; the
   * message is closed either way. Call once.
   */
  end(view: AnswerView, blocks: readonly KnownBlock[]): Promise<boolean>
}

/** The thread and the recipient of a streamed message. */
interface StreamTarget {
  readonly channel: string
  readonly threadTs: string
  readonly user: string
  readonly team: string
}

/** Dependencies of an answer stream. */
interface AnswerStreamContext {
  readonly client: WebClient
  readonly clock: Clock
  /** The message before anything is shown. */
  readonly first: AnswerView
  /** Minimum time between two calls, in ms. */
  readonly pauseMs: number
  readonly hide: TextRedactor
  /** Stores the progress of the answer. */
  note(progress: AnswerProgress): void
  onError(thrown: unknown): void
}

/**
 * Streams an answer. Slack ends a message after minutes without an update; the answer then continues in a new
 * message. Other errors go to `onError`, and the message can only be closed after that.
 */
export function openAnswerStream(target: StreamTarget, context: AnswerStreamContext): AnswerStream {
  const { channel } = target
  const { client, clock, first, pauseMs, note, onError } = context
  const pause = createPause(clock)
  let sent = first
  let wanted = first
  let ts: string | undefined
  let isBroken = false
  let isEnding = false
  let pumping: Promise<void> | undefined

  const chunksFor = (before: AnswerView, now: AnswerView): AnyChunk[] =>
    hideChunks(answerChunks(before, now), context.hide)

  async function begin(chunks: AnyChunk[]): Promise<void> {
    ts = undefined
    note({ begun: true })
    const started = await client.chat.startStream({
      channel,
      thread_ts: target.threadTs,
      recipient_user_id: target.user,
      recipient_team_id: target.team,
      task_display_mode: 'timeline',
      chunks,
    })
    ts = started.ts
    if (ts !== undefined) note({ answerTs: ts, ending: false })
  }

  async function add(now: AnswerView): Promise<void> {
    const chunks = chunksFor(sent, now)
    if (chunks.length === 0) return
    if (ts === undefined) return begin(chunks)
    try {
      await client.chat.appendStream({ channel, ts, chunks })
    } catch (thrown) {
      if (!isStreamOver(thrown)) throw thrown
      await begin(chunksFor(continueAnswer(sent), now))
    }
  }

  async function stop(now: AnswerView, blocks: readonly KnownBlock[]): Promise<void> {
    if (ts === undefined) await begin(chunksOrPlaceholder(chunksFor(sent, now)))
    else if (await endMessage(ts, chunksFor(sent, now), blocks)) return
    else await begin(chunksOrPlaceholder(chunksFor(continueAnswer(sent), now)))
    if (ts !== undefined) await endMessage(ts, [], blocks)
  }

  /** Ends the message. Returns false if Slack had already ended it. */
  async function endMessage(at: string, chunks: AnyChunk[], blocks: readonly KnownBlock[]): Promise<boolean> {
    note({ ending: true })
    try {
      const words = chunks.length === 0 ? {} : { chunks }
      const below = blocks.length === 0 ? {} : { blocks: [...blocks] }
      await client.chat.stopStream({ channel, ts: at, ...words, ...below })
      return true
    } catch (thrown) {
      if (!isStreamOver(thrown)) throw thrown
      return false
    }
  }

  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (thrown) {
      isBroken = true
      onError(thrown)
    }
  }

  const isBehind = (): boolean => sent !== wanted && !isBroken && !isEnding

  async function pump(): Promise<void> {
    while (isBehind()) {
      const now = wanted
      await attempt(() => add(now))
      sent = now
      await pause.wait(pauseMs)
    }
    pumping = undefined
  }

  /** Closes a message that could not be continued, so that no row still shows as running. */
  async function abandon(): Promise<void> {
    if (ts === undefined) return
    const closing = abandonAnswer(sent)
    await endMessage(ts, chunksFor({ ...sent, rows: first.rows }, closing), []).catch(onError)
    note({ ending: false })
  }

  return {
    show(view) {
      wanted = view
      // Deferred, so that changes made together are sent as one.
      if (!isBroken && !isEnding) pumping ??= Promise.resolve().then(pump)
    },
    async end(view, blocks) {
      isEnding = true
      pause.end()
      await pumping
      if (!isBroken) await attempt(() => stop(view, blocks))
      if (isBroken) await abandon()
      return !isBroken
    },
  }
}

/** Returns a placeholder if there are no chunks, because Slack accepts no empty message. */
function chunksOrPlaceholder(chunks: AnyChunk[]): AnyChunk[] {
  return chunks.length > 0 ? chunks : [{ type: 'markdown_text', text: 'Done.' }]
}

/** A timer whose waits can be ended early. */
interface Pause {
  wait(ms: number): Promise<void>
  /** Ends the current wait, and makes later waits return at once. */
  end(): void
}

function createPause(clock: Clock): Pause {
  let isOver = false
  let wake: (() => void) | undefined
  return {
    async wait(ms) {
      if (isOver) return
      await new Promise<void>((resolve) => {
        const cancel = clock.after(ms, resolve)
        wake = () => {
          cancel()
          resolve()
        }
      })
    },
    end() {
      isOver = true
      wake?.()
    },
  }
}
