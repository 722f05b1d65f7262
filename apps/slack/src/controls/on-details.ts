import { emptyTimeline, reduceTimeline } from '@troupe/timeline'
import type { SlackDesk } from '../answer/slack-desk.ts'
import { runIdOf } from '../intake/slack-request.ts'
import { detailsModal } from '../view/details-modal.ts'
import type { Click } from './click.ts'

/** Shows the current run tree in a modal. */
export async function onDetails({ kept, triggerId, workspace }: Click, desk: SlackDesk): Promise<void> {
  const events = await desk.store.events(runIdOf(kept.request))
  const timeline = desk.host.redact(events).reduce(reduceTimeline, emptyTimeline())
  await workspace.client.views.open({ trigger_id: triggerId, view: detailsModal(timeline, desk.hide) })
}
