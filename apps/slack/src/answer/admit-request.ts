import type { Budget, RunEvent } from '@troupe/schema'
import { emptyAccounts, reduceAccounts } from '@troupe/timeline'
import {
  combineAllowances,
  checkAllowance,
  DAY_MS,
  MINUTE_MS,
  type RecentUsage,
} from '../config/allowance.ts'
import type { SlackRequest } from '../intake/slack-request.ts'
import { isDirectChannel, routeChannel, type RoutedChannel } from '../config/slack-config.ts'
import type { Workspace } from '../context/workspaces.ts'
import type { SlackContext } from '../context/slack-context.ts'

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
    return {
      admitted: false,
      reason: 'The agent of this channel cannot run. Ask the person who maintains it to check it.',
    }
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

/** The usage recorder of one request. */
interface SpendingRecorder {
  onEvent(event: RunEvent): void
}

/**
 * Counts a request for its person and its channel, and then the usage of each model call, including child
 * runs. It writes totals, so that a crash loses nothing, and a resumed run, which repeats its events, is not
 * counted twice.
 */
export function createSpendingRecorder(
  request: SlackRequest,
  { state, config }: Pick<SlackContext, 'state' | 'config'>,
): SpendingRecorder {
  const { user, channel } = subjectsOf(request)
  const subjects = [
    ...(Object.keys(config.limits.user).length > 0 ? [user] : []),
    ...(Object.keys(config.limits.channel).length > 0 ? [channel] : []),
  ]
  const write = (tokens: number, micros: number): void => {
    for (const subject of subjects) state.setUsage(subject, { by: request.id, tokens, micros })
  }
  let accounts = emptyAccounts()
  write(0, 0)
  return {
    onEvent(event) {
      if (subjects.length === 0) return
      const { total } = (accounts = reduceAccounts(accounts, event))
      if (event.type === 'usage') write(total.input + total.output, total.micros)
    },
  }
}
