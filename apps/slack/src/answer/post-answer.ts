import type { KnownBlock } from '@slack/types'
import type { WebClient } from '@slack/web-api'
import type { AnswerView } from '../view/answer-view.ts'
import type { TextRedactor } from '../view/redact-text.ts'
import { oneLine } from '../view/cut-text.ts'

/** Posts an answer that could not be streamed as one message. */
export async function postAnswer(
  { shown, rows }: AnswerView,
  {
    client,
    channel,
    threadTs,
    blocks,
    hide,
  }: {
    readonly client: WebClient
    readonly channel: string
    readonly threadTs: string
    readonly blocks: readonly KnownBlock[]
    readonly hide: TextRedactor
  },
): Promise<void> {
  const calls = [...rows.rows.values()].map(({ title, status }) => `- ${MARKS[status]} ${title}`).join('\n')
  const parts = [calls.slice(0, 900), shown].filter((part) => part !== '')
  const whole = hide(parts.join('\n\n') || 'Done.')
  await client.chat.postMessage({
    channel,
    thread_ts: threadTs,
    text: oneLine(whole, 200),
    blocks: [{ type: 'markdown', text: whole }, ...blocks],
  })
}

const MARKS = { pending: '…', in_progress: '…', complete: '✓', error: '✗' } as const
