import type { ActionsBlock, Button, ContextActionsBlock, FeedbackButtons, KnownBlock } from '@slack/types'
import { isJsonObject, type ApprovalDecision, type Approver, type WriteTarget } from '@troupe/schema'
import type { RunLabel } from '@troupe/schema/ports'
import { callLines, describeCall } from '@troupe/timeline'
import { cutText, escapeSlack, fittingPiece, plainMrkdwn } from './slack-text.ts'

/** Returns the blocks of the message that is shown while a run is answering. */
export function workingBlocks(agent: string, id: string): readonly KnownBlock[] {
  const value = { id }
  return [
    {
      type: 'context',
      elements: [{ type: 'mrkdwn', text: `*${escapeSlack(cutText(agent, 100))}* is working` }],
    },
    actions([
      button('Stop', ACTION.stop, { value, style: 'danger' }),
      button('Details', ACTION.details, { value }),
    ]),
  ]
}

/** Returns the buttons below a finished answer, and those that label it. */
export function answeredBlocks(id: string): readonly KnownBlock[] {
  const value = { id }
  return [
    actions([
      button('Retry', ACTION.retry, { value }),
      button('Details', ACTION.details, { value }),
      button('Download JSON', ACTION.download, { value }),
    ]),
    labelButtons(id),
  ]
}

function labelButtons(id: string): ContextActionsBlock {
  const choice = (text: string, label: RunLabel['value']): FeedbackButtons['positive_button'] => ({
    text: { type: 'plain_text', text },
    value: writeButtonValue({ id, label }),
  })
  return {
    type: 'context_actions',
    elements: [
      {
        type: 'feedback_buttons',
        action_id: ACTION.label,
        positive_button: choice('Good answer', 'up'),
        negative_button: choice('Bad answer', 'down'),
      },
    ],
  }
}

/** Returns the blocks of an approval question. `details` is mrkdwn. */
export function approvalBlocks(details: string, value: ButtonValue): readonly KnownBlock[] {
  return [
    { type: 'section', text: { type: 'mrkdwn', text: cutText(details, 3000) } },
    actions([
      button('Approve', ACTION.approve, { value, style: 'primary' }),
      button('Approve in this thread', ACTION.approveThread, { value }),
      button('Deny', ACTION.deny, { value, style: 'danger' }),
    ]),
  ]
}

function actions(elements: Button[]): ActionsBlock {
  return { type: 'actions', elements }
}

function button(
  text: string,
  actionId: string,
  { value, style }: { readonly value: ButtonValue; readonly style?: 'primary' | 'danger' },
): Button {
  return {
    type: 'button',
    text: { type: 'plain_text', text },
    action_id: actionId,
    value: writeButtonValue(value),
    ...(style === undefined ? {} : { style }),
  }
}

/** Action ids of the app's buttons. */
export const ACTION = {
  stop: 'troupe_stop',
  retry: 'troupe_retry',
  details: 'troupe_details',
  download: 'troupe_download',
  approve: 'troupe_approve',
  approveThread: 'troupe_approve_thread',
  deny: 'troupe_deny',
  label: 'troupe_label',
} as const

/** The value of a button: the id of its request, and the approval that it decides or the label that it sets. */
interface ButtonValue {
  readonly id: string
  readonly approvalId?: string
  readonly label?: RunLabel['value']
}

function writeButtonValue(value: ButtonValue): string {
  return JSON.stringify(value)
}

/** Parses the value of a button. Returns `undefined` if the app did not write it. */
export function readButtonValue(text: string | undefined): ButtonValue | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '')
    if (!isJsonObject(value) || typeof value['id'] !== 'string') return undefined
    const { id, approvalId, label } = value
    return {
      id,
      ...(typeof approvalId === 'string' ? { approvalId } : {}),
      ...(label === 'up' || label === 'down' ? { label } : {}),
    }
  } catch {
    // The value of another app's or an older version's button.
    return undefined
  }
}

/**
 * Returns an approval question as mrkdwn: the agent, the tool, what the call does, the reason, and a link to the
 * page if it has an address.
 */
export function approvalText(
  { instance, toolName, args, reason }: Parameters<Approver>[0],
  { file, page }: { readonly file?: WriteTarget | undefined; readonly page?: string | undefined } = {},
): string {
  const who = plainMrkdwn(instance, 100)
  const why = reason === undefined ? '' : `\n_${plainMrkdwn(reason, 300)}_`
  const head = `:raised_hand: *${who}* wants to call *${plainMrkdwn(toolName, 100)}*${why}\n`
  const call = describeCall(toolName, args, file === undefined ? undefined : { file })
  const link = page === undefined ? '' : `\n<${page}|Open the run on the page>`
  return `${head}${codeBlock(callLines(call), MAX_LENGTH - head.length - link.length)}${link}`
}

/** Slack allows 3,000 characters after escaping; the rest is reserved for the decision. */
const MAX_LENGTH = 2700

/** Returns lines as a block of code, with a note if they are too long. */
function codeBlock(lines: readonly string[], maxLength: number): string {
  if (lines.length === 0) return '_No arguments._'
  const text = lines.join('\n').replaceAll('```', "'''")
  const space = maxLength - CUT.length - '``````'.length
  const escaped = escapeSlack(text, { atLineStart: false })
  return escaped.length <= space ? `\`\`\`${escaped}\`\`\`` : `\`\`\`${fittingPiece(text, space)}\`\`\`${CUT}`
}

const CUT = '\n:warning: The call is longer than Slack can show.'

/** Returns a decision as mrkdwn. */
export function decidedText({ decision, reason }: ApprovalDecision): string {
  const mark = decision === 'approved' ? ':white_check_mark: Approved' : ':no_entry: Denied'
  return reason === undefined ? mark : `${mark}: ${reason}`
}
