import type { BlockAction, ButtonAction, App, FeedbackButtonsAction } from '@slack/bolt'
import type { ApprovalDecision } from '@troupe/schema'
import type { RunLabel } from '@troupe/schema/ports'
import { emptyTimeline, reduceTimeline } from '@troupe/timeline'
import type { Workspace } from '../context/workspaces.ts'
import type { SlackContext } from '../context/slack-context.ts'
import { threadOf, runIdOf } from '../intake/slack-request.ts'
import type { StoredSlackRequest } from '../state/slack-state.ts'
import { readButtonValue, ACTION } from '../view/control-blocks.ts'
import { sendPrivately } from '../answer/post-messages.ts'
import { detailsModal } from '../view/details-modal.ts'
import type { Intake } from './create-intake.ts'

/** A click on a button of a known request, in the channel of the request. */
interface Click {
  readonly storedRequest: StoredSlackRequest
  readonly approvalId: string | undefined
  readonly label: RunLabel['value'] | undefined
  readonly user: string
  readonly threadTs: string
  /** Allows opening a modal within three seconds. */
  readonly triggerId: string
  readonly workspace: Workspace
}

/** A click on a button of the app, as Slack sends it. */
type AppAction = ButtonAction | FeedbackButtonsAction

/** Reads a click. Returns `undefined` if the button belongs to no known request. */
function readClick(body: BlockAction, action: AppAction, context: SlackContext): Click | undefined {
  const value = readButtonValue(action.value)
  const team = body.team?.id ?? body.user.team_id ?? ''
  const workspace = context.workspaces.get(team)
  const storedRequest = value === undefined ? undefined : context.state.find(team, value.id)
  if (
    storedRequest === undefined ||
    workspace === undefined ||
    storedRequest.request.channel !== body.channel?.id
  )
    return undefined
  const threadTs = threadOf(storedRequest.request, storedRequest.progress)
  if (threadTs === undefined) return undefined
  return {
    storedRequest,
    approvalId: value?.approvalId,
    label: value?.label,
    user: body.user.id,
    threadTs,
    triggerId: body.trigger_id,
    workspace,
  }
}

/** Stops the run. The partial answer stays. */
async function onStop(
  { storedRequest: { request }, user, threadTs, workspace }: Click,
  context: SlackContext,
): Promise<void> {
  const open = context.open.find(request)
  open?.stop()
  if (open === undefined)
    await sendPrivately(
      { channel: request.channel, user, threadTs },
      { context, workspace, text: 'This run has already ended.' },
    )
}

/**
 * Approves or denies a tool call. Only the configured approvers may decide or, if none are configured, the
 * person who asked.
 */
async function onDecision(
  { storedRequest: { request }, approvalId = '', user, threadTs, workspace }: Click,
  {
    context,
    ...decision
  }: Pick<ApprovalDecision, 'decision' | 'remember'> & { readonly context: SlackContext },
): Promise<void> {
  const reply = (text: string): Promise<void> =>
    sendPrivately({ channel: request.channel, user, threadTs }, { context, workspace, text })
  if (!mayDecide(user, { context, asker: request.user }))
    return reply('You are not allowed to approve or deny this call.')
  const answer = { ...decision, reason: `by <@${user}>`, by: { via: 'slack', name: user } } as const
  if (context.open.find(request)?.decide(approvalId, answer) !== true)
    await reply('This approval is no longer pending.')
}

function mayDecide(
  user: string,
  { context, asker }: { readonly context: SlackContext; readonly asker: string },
): boolean {
  const { approvers } = context.config
  return approvers === undefined ? user === asker : approvers.includes(user)
}

/** Shows the current run tree in a modal. */
async function onDetails(
  { storedRequest, triggerId, workspace }: Click,
  context: SlackContext,
): Promise<void> {
  const events = await context.store.events(runIdOf(storedRequest.request))
  const timeline = context.host.redact(events).reduce(reduceTimeline, emptyTimeline())
  await workspace.client.views.open({ trigger_id: triggerId, view: detailsModal(timeline, context.hide) })
}

/** Uploads the report of the run to the thread as a file, in the format of `--json`. */
async function onDownload(click: Click, context: SlackContext): Promise<void> {
  const { storedRequest, user, threadTs, workspace } = click
  const { request } = storedRequest
  if (context.open.find(request) !== undefined)
    return sendPrivately(
      { channel: request.channel, user, threadTs },
      { context, workspace, text: 'This run has not ended yet.' },
    )
  const report = await context.host.resume(runIdOf(request))
  await workspace.client.files.uploadV2({
    channel_id: request.channel,
    thread_ts: threadTs,
    filename: `${runIdOf(request)}.json`,
    content: context.hide(`${JSON.stringify(report, null, 2)}\n`),
  })
}

/** Labels the run. A later click of any person replaces the label. */
async function onLabel(
  { storedRequest: { request }, label, user, threadTs, workspace }: Click,
  context: SlackContext,
): Promise<void> {
  if (label === undefined) return
  const isStored = await context.store.setLabel(runIdOf(request), { value: label })
  await sendPrivately(
    { channel: request.channel, user, threadTs },
    {
      context,
      workspace,
      text: isStored ? 'Your feedback was saved.' : 'This answer is not stored, so it cannot have feedback.',
    },
  )
}

/**
 * Creates a request that repeats the question in the same thread, for the person who clicked. Returns
 * `undefined` if the click was already handled.
 */
function onRetry(
  { storedRequest, user, threadTs, triggerId }: Click,
  context: SlackContext,
): StoredSlackRequest | undefined {
  const request = {
    ...storedRequest.request,
    id: `retry-${triggerId}`,
    kind: 'retry' as const,
    user,
    threadTs,
  }
  return context.state.take(request) ? { request, progress: {} } : undefined
}

/**
 * Handles clicks on the app's buttons. Each click is acknowledged first, as Slack waits only three seconds.
 */
export function listenToClicks(
  app: App,
  { context, intake }: { readonly context: SlackContext; readonly intake: Intake },
): void {
  const on = (actionId: string, work: (click: Click) => Promise<void> | void): void =>
    app.action<BlockAction<AppAction>>(
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
  on(ACTION.label, (click) => onLabel(click, context))
  on(ACTION.retry, (click) => {
    const storedRequest = onRetry(click, context)
    if (storedRequest !== undefined) intake.answer(storedRequest)
  })
}
