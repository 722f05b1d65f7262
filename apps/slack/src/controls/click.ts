import type { BlockAction, ButtonAction } from '@slack/bolt'
import type { Workspace } from '../app/workspaces.ts'
import type { SlackDesk } from '../answer/slack-desk.ts'
import { threadOf } from '../intake/slack-request.ts'
import type { KeptRequest } from '../state/slack-state.ts'
import { readButtonValue } from './button-value.ts'

/** A click on a button of a known request, in the channel of the request. */
export interface Click {
  readonly kept: KeptRequest
  readonly approvalId: string | undefined
  readonly user: string
  readonly threadTs: string
  /** Allows opening a modal within three seconds. */
  readonly triggerId: string
  readonly workspace: Workspace
}

/** Reads a click. Returns `undefined` if the button belongs to no known request. */
export function readClick(body: BlockAction, action: ButtonAction, desk: SlackDesk): Click | undefined {
  const value = readButtonValue(action.value)
  const team = body.team?.id ?? body.user.team_id ?? ''
  const workspace = desk.workspaces.get(team)
  const kept = value === undefined ? undefined : desk.state.find(team, value.id)
  if (kept === undefined || workspace === undefined || kept.request.channel !== body.channel?.id)
    return undefined
  const threadTs = threadOf(kept.request, kept.place)
  if (threadTs === undefined) return undefined
  return {
    kept,
    approvalId: value?.approvalId,
    user: body.user.id,
    threadTs,
    triggerId: body.trigger_id,
    workspace,
  }
}
