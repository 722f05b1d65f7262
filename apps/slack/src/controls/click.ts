import type { BlockAction, ButtonAction } from '@slack/bolt'
import type { Workspace } from '../app/workspaces.ts'
import type { SlackContext } from '../answer/slack-context.ts'
import { threadOf } from '../intake/slack-request.ts'
import type { StoredSlackRequest } from '../state/slack-state.ts'
import { readButtonValue } from './button-value.ts'

/** A click on a button of a known request, in the channel of the request. */
export interface Click {
  readonly storedRequest: StoredSlackRequest
  readonly approvalId: string | undefined
  readonly user: string
  readonly threadTs: string
  /** Allows opening a modal within three seconds. */
  readonly triggerId: string
  readonly workspace: Workspace
}

/** Reads a click. Returns `undefined` if the button belongs to no known request. */
export function readClick(body: BlockAction, action: ButtonAction, context: SlackContext): Click | undefined {
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
    user: body.user.id,
    threadTs,
    triggerId: body.trigger_id,
    workspace,
  }
}
