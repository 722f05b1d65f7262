import type { ApprovalDecision } from '@troupe/schema'
import type { SlackDesk } from '../answer/slack-desk.ts'
import { tellPerson } from '../answer/tell-person.ts'
import type { Click } from './click.ts'

/**
 * Approves or denies a tool call. Only the configured approvers may decide or, if none are configured, the
 * person who asked.
 */
export async function onDecision(
  { kept: { request }, approvalId = '', user, threadTs, workspace }: Click,
  { desk, ...decision }: Pick<ApprovalDecision, 'decision' | 'remember'> & { readonly desk: SlackDesk },
): Promise<void> {
  const tell = (text: string): Promise<void> =>
    tellPerson({ channel: request.channel, user, threadTs }, { desk, workspace, text })
  if (!mayDecide(user, { desk, asker: request.user })) return tell('You may not decide on this.')
  const answer = { ...decision, reason: `by <@${user}>` }
  if (desk.open.find(request)?.decide(approvalId, answer) !== true)
    await tell('Nobody waits for this any more.')
}

function mayDecide(
  user: string,
  { desk, asker }: { readonly desk: SlackDesk; readonly asker: string },
): boolean {
  const { approvers } = desk.config
  return approvers === undefined ? user === asker : approvers.includes(user)
}
