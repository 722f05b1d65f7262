import type { KnownBlock } from '@slack/types'
import type { WebClient } from '@slack/web-api'
import type { Approver } from '@troupe/schema'
import type { AnswerView } from '../view/answer-view.ts'
import type { TextRedactor } from '../view/hide-chunks.ts'
import { oneLine, escapeSlack } from '../view/slack-text.ts'
import type { Workspace } from '../context/workspaces.ts'
import { runIdOf, type SlackRequest } from '../intake/slack-request.ts'
import { workingBlocks, approvalText, decidedText, approvalBlocks } from '../view/control-blocks.ts'
import type { SlackContext } from '../context/slack-context.ts'
import { isDirectChannel } from '../config/slack-config.ts'
import type { OpenRequest } from '../context/open-requests.ts'

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

/**
 * Posts the message with the buttons of a running answer. Returns a function that deletes it. Errors go to
 * `onError`, as the answer does not depend on it.
 */
export async function showControls(
  {
    request,
    threadTs,
    context,
    workspace: { client },
  }: {
    readonly request: SlackRequest
    readonly threadTs: string
    readonly context: SlackContext
    readonly workspace: Workspace
  },
  agent: string,
): Promise<() => Promise<void>> {
  const { channel, id } = request
  try {
    context.state.note(request, { begun: true })
    const { ts } = await client.chat.postMessage({
      channel,
      thread_ts: threadTs,
      text: `${agent} is working`,
      blocks: [...workingBlocks(agent, id)],
    })
    if (ts === undefined) return nothing
    context.state.note(request, { controlsTs: ts })
    return async () => void (await client.chat.delete({ channel, ts }).catch(context.onError))
  } catch (thrown) {
    context.onError(thrown)
    return nothing
  }
}

async function nothing(): Promise<void> {
  // No message was posted.
}

/** Sends a message that only the given person can see. */
export async function sendPrivately(
  { channel, user, threadTs }: Pick<SlackRequest, 'channel' | 'user' | 'threadTs'>,
  {
    context,
    workspace,
    text,
  }: { readonly context: SlackContext; readonly workspace: Workspace; readonly text: string },
): Promise<void> {
  const message = escapeSlack(context.hide(text))
  const thread = threadTs === undefined ? {} : { thread_ts: threadTs }
  if (isDirectChannel(channel)) await workspace.client.chat.postMessage({ channel, text: message, ...thread })
  else await workspace.client.chat.postEphemeral({ channel, user, text: message, ...thread })
}

/** Creates an approver that posts a message with buttons in the thread, and updates it with the decision. */
export function askInThread(
  {
    request,
    threadTs,
    open,
  }: { readonly request: SlackRequest; readonly threadTs: string; readonly open: OpenRequest },
  { context, workspace: { client } }: { readonly context: SlackContext; readonly workspace: Workspace },
): Approver {
  const { channel, id } = request
  return async (question, signal) => {
    const { approvalId } = question
    const file = await context.host.writeTarget(question)
    const text = context.hide(approvalText(question, { file, page: runPage(request, context) }))
    // Register the question first: the click may arrive before the call to Slack returns.
    const answer = open.ask(approvalId, signal)
    try {
      const blocks = [...approvalBlocks(text, { id, approvalId })]
      const posted = await client.chat.postMessage({
        channel,
        thread_ts: threadTs,
        text: 'A tool call needs approval.',
        blocks,
      })
      if (posted.ts !== undefined) context.state.note(request, { questions: { [approvalId]: posted.ts } })
      const decision = await answer
      const words = `${text}\n${decidedText(decision)}`
      await client.chat
        .update({ channel, ts: posted.ts ?? '', text: 'Decided.', blocks: [section(words)] })
        .catch(context.onError)
      return decision
    } catch (thrown) {
      context.onError(thrown)
      return { decision: 'denied', reason: 'The approval request could not be posted to Slack.' }
    }
  }
}

/** Returns the address of the page of the run; `undefined` if the page has no address. */
function runPage(request: SlackRequest, { pageUrl }: Pick<SlackContext, 'pageUrl'>): string | undefined {
  return pageUrl === undefined ? undefined : `${pageUrl}/#/runs/${encodeURIComponent(runIdOf(request))}`
}

function section(text: string): { type: 'section'; text: { type: 'mrkdwn'; text: string } } {
  return { type: 'section', text: { type: 'mrkdwn', text: text.slice(0, 3000) } }
}
