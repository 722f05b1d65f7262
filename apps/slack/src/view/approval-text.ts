import type { ApprovalDecision, Approver, JsonObject } from '@troupe/schema'
import { cutText, fittingPiece, plainMrkdwn, escapeSlack } from './slack-text.ts'

/** Returns an approval question as mrkdwn: the agent, the tool, its arguments and the reason. */
export function approvalText({ instance, toolName, args, reason }: Parameters<Approver>[0]): string {
  const who = plainMrkdwn(instance, 100)
  const why = reason === undefined ? '' : `\n_${plainMrkdwn(reason, 300)}_`
  const head = `:raised_hand: *${who}* wants to call *${plainMrkdwn(toolName, 100)}*${why}\n`
  const json = argumentsText(args, MAX_LENGTH - head.length)
  return `${head}\`\`\`${json}\`\`\``
}

/** Slack allows 3,000 characters after escaping; the rest is reserved for the decision. */
const MAX_LENGTH = 2700

function argumentsText(args: JsonObject, maxLength: number): string {
  const json = cutText(JSON.stringify(args, null, 2).replaceAll('```', "'''"), 1000)
  const escaped = escapeSlack(json, { atLineStart: false })
  return escaped.length <= maxLength ? escaped : `${fittingPiece(json, maxLength)}…`
}

/** Returns a decision as mrkdwn. */
export function decidedText({ decision, reason }: ApprovalDecision): string {
  const mark = decision === 'approved' ? ':white_check_mark: Approved' : ':no_entry: Denied'
  return reason === undefined ? mark : `${mark}: ${reason}`
}
