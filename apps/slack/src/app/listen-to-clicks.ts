import type { App, BlockAction, ButtonAction } from '@slack/bolt'
import type { SlackContext } from '../context/slack-context.ts'
import { ACTION } from '../view/control-blocks.ts'
import {
  readClick,
  onStop,
  onDecision,
  onDetails,
  onDownload,
  onRetry,
  type Click,
} from './click-handlers.ts'
import type { Intake } from './create-intake.ts'

/**
 * Handles clicks on the app's buttons. Each click is acknowledged first, as Slack waits only three seconds.
 */
export function listenToClicks(
  app: App,
  { context, intake }: { readonly context: SlackContext; readonly intake: Intake },
): void {
  const on = (actionId: string, work: (click: Click) => Promise<void> | void): void =>
    app.action<BlockAction<ButtonAction>>(
      { type: 'block_actions', action_id: actionId },
      async ({ ack, body, action }) => {
        await ack()
        const click = readClick(body, action, context)
        if (click !== undefined) await work(click)
      },
    )
  on(ACTION.stop, (click) => onStop(click, context))
  on(ACTION.details, (click) => onDetails(click, context))
  on(ACTION.download, (click) => onDownload(click, context))
  on(ACTION.approve, (click) => onDecision(click, { context, decision: 'approved' }))
  on(ACTION.approveThread, (click) =>
    onDecision(click, { context, decision: 'approved', remember: 'session' }),
  )
  on(ACTION.deny, (click) => onDecision(click, { context, decision: 'denied' }))
  on(ACTION.retry, (click) => {
    const storedRequest = onRetry(click, context)
    if (storedRequest !== undefined) intake.answer(storedRequest)
  })
}
