import type { ApprovalDecision } from '@troupe/schema'
import type { SlackContext } from '../answer/slack-context.ts'
import { sendPrivately } from '../answer/send-privately.ts'
import type { Click } from './click.ts'

/**
 * Approves or denies a tool call. Only the configured approvers may decide or, if none are configured, the
 * person who asked.
 */
export async function onDecision(
  { storedRequest: { request }, approvalId = '', user, threadTs, workspace }: Click,
  {
    context,
    ...decision
  }: Pick<ApprovalDecision, 'decision' | 'remember'> & { readonly context: SlackContext },
): Promise<void> {
  const reply = (text: string): Promise<void> =>
    sendPrivately({ channel: request.channel, user, threadTs }, { context, workspace, text })
  if (!mayDecide(user, { context, asker: request.user })) return reply('You may not decide on this.')
  const answer = { ...decision, reason: `by <@${user}>` }
  if (context.open.find(request)?.decide(approvalId, answer) !== true)
    await reply('Nobody waits for this any more.')
}

function mayDecide(
  user: string,
  { context, asker }: { readonly context: SlackContext; readonly asker: string },
): boolean {
  const { approvers } = context.config
  return approvers === undefined ? user === asker : approvers.includes(user)
}
