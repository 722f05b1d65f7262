import type { SlackContext } from '../answer/slack-context.ts'
import { routeChannel } from '../routing/route-channel.ts'
import { oneLine } from '../view/cut-text.ts'
import type { SuggestedPrompt } from './agent-view.ts'

const TITLE = 60

/**
 * Returns the suggested prompts of a direct conversation: `prompts` of the configuration, or the example
 * input (`usage`) of its agent.
 */
export function promptsFor(
  channel: string,
  { config, host }: Pick<SlackContext, 'config' | 'host'>,
): readonly SuggestedPrompt[] {
  const route = routeChannel(config.channels, { id: channel, name: '', isDirect: true })
  if (!route.allowed) return []
  if (config.prompts !== undefined) return config.prompts
  const known = host.agents().map(({ name }) => name)
  if (known.length === 0 || (route.agent !== undefined && !known.includes(route.agent))) return []
  const { usage } = host.definition(route.agent)
  return usage === undefined || usage.trim() === '' ? [] : [{ title: oneLine(usage, TITLE), message: usage }]
}
