import type { Json } from '@troupe/schema'
import { type SuggestedPrompt, isDirectChannel } from '../config/slack-config.ts'
import type { Workspace } from './workspaces.ts'
import { cutText, oneLine } from '../view/slack-text.ts'
import type { TextRedactor } from '../view/hide-chunks.ts'
import { platformError } from './slack-api.ts'
import { viewedChannel } from '../intake/slack-request.ts'

/** A Slack thread. */
interface SlackThread {
  readonly workspace: Workspace
  readonly channel: string
  readonly threadTs: string
}

/**
 * The status, titles and suggested prompts that Slack shows around a conversation with an agent. They are
 * optional: a call that Slack refuses is reported once and not repeated.
 */
export interface AgentView {
  /** Shows that the agent is working, until the app posts its next message. */
  showStatus(thread: SlackThread): Promise<void>
  /** Sets the title of a direct conversation to the beginning of `text`. */
  showTitle(thread: SlackThread, text: string): Promise<void>
  /** Sets the suggested prompts of a direct conversation. */
  suggest(
    thread: Pick<SlackThread, 'workspace' | 'channel'>,
    prompts: readonly SuggestedPrompt[],
  ): Promise<void>
}

const STATUS = 'is working…'
const TITLE = 100
const MAX_PROMPTS = 4

/** Creates the view. `onError` receives the errors of calls to Slack. */
export function createAgentView({
  hide,
  onError,
}: {
  readonly hide: TextRedactor
  onError(thrown: unknown): void
}): AgentView {
  const refused = new Set<string>()

  async function attempt(key: string, call: () => Promise<unknown>): Promise<void> {
    if (refused.has(key)) return
    try {
      await call()
    } catch (thrown) {
      if (platformError(thrown) !== undefined) refused.add(key)
      onError(thrown)
    }
  }

  return {
    showStatus: ({ workspace, channel, threadTs }) =>
      attempt(`status ${workspace.team}`, () =>
        workspace.client.assistant.threads.setStatus({
          channel_id: channel,
          thread_ts: threadTs,
          status: STATUS,
        }),
      ),
    async showTitle({ workspace, channel, threadTs }, text) {
      const title = cutText(hide(oneLine(text, TITLE)), TITLE)
      if (!isDirectChannel(channel) || title === '') return
      await attempt(`title ${workspace.team}`, () =>
        workspace.client.assistant.threads.setTitle({ channel_id: channel, thread_ts: threadTs, title }),
      )
    },
    async suggest({ workspace, channel }, prompts) {
      if (prompts.length === 0) return
      // `thread_ts` belongs to the older assistants API: with it, Slack would show nothing here.
      await attempt(`prompts ${workspace.team}`, () =>
        workspace.client.assistant.threads.setSuggestedPrompts({
          channel_id: channel,
          prompts: prompts.slice(0, MAX_PROMPTS).map((prompt) => ({ ...prompt })),
        }),
      )
    },
  }
}

/** A user of a workspace. */
interface Viewer {
  readonly team: string
  readonly user: string
}

/** The channels that people have open beside the agent. Held in memory only. */
export interface ViewedChannels {
  note(viewer: Viewer, context: Json | undefined): void
  get(viewer: Viewer): string | undefined
}

const MAX_VIEWERS = 10_000

export function createViewedChannels(): ViewedChannels {
  const channels = new Map<string, string>()
  const keyOf = ({ team, user }: Viewer): string => `${team}/${user}`
  return {
    note(viewer, context) {
      const channel = viewedChannel(context)
      channels.delete(keyOf(viewer))
      if (channel !== undefined) channels.set(keyOf(viewer), channel)
      const [oldest] = channels.keys()
      if (channels.size > MAX_VIEWERS && oldest !== undefined) channels.delete(oldest)
    },
    get: (viewer) => channels.get(keyOf(viewer)),
  }
}
