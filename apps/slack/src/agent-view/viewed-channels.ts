import type { Json } from '@troupe/schema'
import { viewedChannel } from './viewed-channel.ts'

/** A person of a workspace. */
export interface Viewer {
  readonly team: string
  readonly user: string
}

/** Which channel people have open beside the agent, as far as Slack has said. A new process learns it anew. */
export interface ViewedChannels {
  note(viewer: Viewer, context: Json | undefined): void
  of(viewer: Viewer): string | undefined
}

const MOST_PEOPLE = 10_000

export function createViewedChannels(): ViewedChannels {
  const channels = new Map<string, string>()
  const keyOf = ({ team, user }: Viewer): string => `${team}/${user}`
  return {
    note(viewer, context) {
      const channel = viewedChannel(context)
      channels.delete(keyOf(viewer))
      if (channel !== undefined) channels.set(keyOf(viewer), channel)
      const [oldest] = channels.keys()
      if (channels.size > MOST_PEOPLE && oldest !== undefined) channels.delete(oldest)
    },
    of: (viewer) => channels.get(keyOf(viewer)),
  }
}
