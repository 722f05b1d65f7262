import type { KnownBlock } from '@slack/types'
import type { WebClient } from '@slack/web-api'
import type { AnswerView } from '../view/answer-view.ts'
import { oneLine } from '../view/cut-text.ts'

/** Posts an answer that could not be streamed as one message. */
export async function postWhole(
  { shown, rows }: AnswerView,
  {
    client,
    channel,
    threadTs,
    blocks,
  }: {
    readonly client: WebClient
    readonly channel: string
    readonly threadTs: string
    readonly blocks: readonly KnownBlock[]
  },
): Promise<void> {
  const calls = [...rows.rows.values()].map(({ title, status }) => `- ${MARKS[status]} ${title}`).join('\n')
  const parts = [calls.slice(0, 900), shown].filter((part) => part !== '')
  await client.chat.postMessage({
    channel,
    thread_ts: threadTs,
    text: oneLine(shown, 200) || 'Done.',
    blocks: [{ type: 'markdown', text: parts.join('\n\n') || 'Done.' }, ...blocks],
  })
}

const MARKS = { pending: '…', in_progress: '…', complete: '✓', error: '✗' } as const
