import type { ActionsBlock, Button, KnownBlock } from '@slack/types'
import { ACTION } from '../controls/action-ids.ts'
import { writeButtonValue, type ButtonValue } from '../controls/button-value.ts'
import { cutText } from './cut-text.ts'
import { escapeSlack } from './escape-slack.ts'

/** Returns the blocks of the message that is shown while a run is answering. */
export function workingBlocks(agent: string, id: string): readonly KnownBlock[] {
  const value = { id }
  return [
    {
      type: 'context',
      elements: [{ type: 'mrkdwn', text: `*${escapeSlack(cutText(agent, 100))}* is at work` }],
    },
    actions([
      button('Stop', ACTION.stop, { value, style: 'danger' }),
      button('Details', ACTION.details, { value }),
    ]),
  ]
}

/** Returns the buttons below a finished answer. */
export function answeredBlocks(id: string): readonly KnownBlock[] {
  const value = { id }
  return [
    actions([
      button('Retry', ACTION.retry, { value }),
      button('Details', ACTION.details, { value }),
      button('Download JSON', ACTION.download, { value }),
    ]),
  ]
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
