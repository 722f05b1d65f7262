import type { Approver } from '@troupe/schema'
import type { Workspace } from '../context/workspaces.ts'
import type { SlackRequest } from '../intake/slack-request.ts'
import { approvalText, decidedText } from '../view/approval-text.ts'
import { approvalBlocks } from '../view/control-blocks.ts'
import type { OpenRequest } from '../context/open-requests.ts'
import type { SlackContext } from '../context/slack-context.ts'

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
    const text = context.hide(approvalText(question))
    // Register the question first: the click may arrive before the call to Slack returns.
    const answer = open.ask(approvalId, signal)
    try {
      const blocks = [...approvalBlocks(text, { id, approvalId })]
      const posted = await client.chat.postMessage({
        channel,
        thread_ts: threadTs,
        text: 'May a tool run?',
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
      return { decision: 'denied', reason: 'The question could not be asked in Slack.' }
    }
  }
}

function section(text: string): { type: 'section'; text: { type: 'mrkdwn'; text: string } } {
  return { type: 'section', text: { type: 'mrkdwn', text: text.slice(0, 3000) } }
}
