import type { Budget } from '@troupe/schema'
import {
  combineAllowances,
  checkAllowance,
  DAY_MS,
  MINUTE_MS,
  type RecentUsage,
} from '../budget/allowance.ts'
import type { SlackRequest } from '../intake/slack-request.ts'
import { isDirectChannel, routeChannel, type RoutedChannel } from '../routing/route-channel.ts'
import type { Workspace } from '../app/workspaces.ts'
import type { SlackContext } from './slack-context.ts'

/** The decision on a request: the agent and its budget, or the reason for a refusal. */
export type RequestAdmission =
  | { readonly admitted: true; readonly agent: string | undefined; readonly budget: Budget }
  | { readonly admitted: false; readonly reason: string }

/** Checks the rules of the channel and the limits of the person and the channel. */
export async function admitRequest(
  request: SlackRequest,
  { context, workspace }: { readonly context: SlackContext; readonly workspace: Workspace },
): Promise<RequestAdmission> {
  const { config, host } = context
  const route = routeChannel(config.channels, await channelOf(request, workspace, config.channels.length > 0))
  if (!route.allowed) return { admitted: false, reason: 'No agent answers in this channel.' }
  if (route.agent !== undefined && host.agents().every(({ name }) => name !== route.agent))
    return { admitted: false, reason: 'The agent of this channel cannot be run. Its owner must look at it.' }
  const { user, channel } = subjectsOf(request)
  const allowance = combineAllowances(
    checkAllowance(config.limits.user, usageOf(user, request, context), 'You have'),
    checkAllowance(config.limits.channel, usageOf(channel, request, context), 'This channel has'),
  )
  return allowance.allowed
    ? { admitted: true, agent: route.agent, budget: allowance.budget }
    : { admitted: false, reason: allowance.reason }
}

/** Returns the subjects that a request is counted for: its person and its channel. */
export function subjectsOf({ team, user, channel }: SlackRequest): {
  readonly user: string
  readonly channel: string
} {
  return { user: `user:${team}:${user}`, channel: `channel:${team}:${channel}` }
}

/**
 * Returns the usage of a subject without the request itself, so that a request resumed after a restart is not
 * refused because of its own usage.
 */
function usageOf(subject: string, { id }: SlackRequest, { state, clock }: SlackContext): RecentUsage {
  const now = clock.now()
  return {
    minute: state.usageSince(subject, now - MINUTE_MS, id),
    day: state.usageSince(subject, now - DAY_MS, id),
  }
}

/** Returns the channel as rules see it. Looks up its name only if there are rules. */
async function channelOf(
  { channel: id, kind }: SlackRequest,
  { client }: Workspace,
  needsName: boolean,
): Promise<RoutedChannel> {
  const isDirect = kind === 'direct' || isDirectChannel(id)
  if (isDirect || !needsName) return { id, name: '', isDirect }
  const { channel } = await client.conversations.info({ channel: id })
  return { id, name: channel?.name ?? '', isDirect: channel?.is_im === true }
}
