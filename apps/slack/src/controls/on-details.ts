import { emptyTimeline, reduceTimeline } from '@troupe/timeline'
import type { SlackContext } from '../answer/slack-context.ts'
import { runIdOf } from '../intake/slack-request.ts'
import { detailsModal } from '../view/details-modal.ts'
import type { Click } from './click.ts'

/** Shows the current run tree in a modal. */
export async function onDetails(
  { storedRequest, triggerId, workspace }: Click,
  context: SlackContext,
): Promise<void> {
  const events = await context.store.events(runIdOf(storedRequest.request))
  const timeline = context.host.redact(events).reduce(reduceTimeline, emptyTimeline())
  await workspace.client.views.open({ trigger_id: triggerId, view: detailsModal(timeline, context.hide) })
}
