import type { Json } from '@troupe/schema'
import { viewedChannel } from '../intake/to-request.ts'

/** A user of a workspace. */
export interface Viewer {
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
