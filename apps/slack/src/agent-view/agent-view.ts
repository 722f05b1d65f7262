import type { Workspace } from '../app/workspaces.ts'
import { isDirectChannel } from '../routing/route-channel.ts'
import { cutText, oneLine } from '../view/cut-text.ts'
import type { RedactedText } from '../view/redact-text.ts'
import { platformError } from '../answer/platform-error.ts'

/** A question that is offered. */
export interface SuggestedPrompt {
  readonly title: string
  readonly message: string
}

/** A conversation in Slack. */
export interface ViewedThread {
  readonly workspace: Workspace
  readonly channel: string
  readonly threadTs: string
}

/** What Slack shows around a conversation with an agent. Nothing depends on it: what Slack refuses is told once, and not tried again. */
export interface AgentView {
  /** Says that the agent is at work, until it says something. */
  showStatus(thread: ViewedThread): Promise<void>
  /** Names a direct conversation after what it began with. */
  showTitle(thread: ViewedThread, text: string): Promise<void>
  /** Offers questions to who opens the conversation. */
  suggest(
    place: Pick<ViewedThread, 'workspace' | 'channel'>,
    prompts: readonly SuggestedPrompt[],
  ): Promise<void>
}

const STATUS = 'is at work…'
const TITLE = 100
const MOST_PROMPTS = 4

/** `onError` is told what Slack refuses. */
export function createAgentView({
  hide,
  onError,
}: {
  readonly hide: RedactedText
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
      // with `thread_ts` Slack would show nothing: it is of the assistants that came before agents
      await attempt(`prompts ${workspace.team}`, () =>
        workspace.client.assistant.threads.setSuggestedPrompts({
          channel_id: channel,
          prompts: prompts.slice(0, MOST_PROMPTS).map((prompt) => ({ ...prompt })),
        }),
      )
    },
  }
}
