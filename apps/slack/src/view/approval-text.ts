import type { ApprovalDecision, Approver } from '@troupe/schema'
import { cutText } from './cut-text.ts'
import { escapeSlack } from './escape-slack.ts'
import { plainMrkdwn } from './plain-mrkdwn.ts'

/** A question about a tool as mrkdwn: who wants to call what, with what, and why it is asked. */
export function approvalText({ instance, toolName, args, reason }: Parameters<Approver>[0]): string {
  const who = plainMrkdwn(instance, 100)
  const json = escapeSlack(cutText(JSON.stringify(args, null, 2).replaceAll('```', "'''"), 1000), {
    atLineStart: false,
  })
  const why = reason === undefined ? '' : `\n_${plainMrkdwn(reason, 300)}_`
  return `:raised_hand: *${who}* wants to call *${plainMrkdwn(toolName, 100)}*${why}\n\`\`\`${json}\`\`\``
}

/** What was said to it. */
export function decidedText({ decision, reason }: ApprovalDecision): string {
  const mark = decision === 'approved' ? ':white_check_mark: Approved' : ':no_entry: Denied'
  return reason === undefined ? mark : `${mark}: ${reason}`
}
