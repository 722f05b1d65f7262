import picomatch from 'picomatch'

/** A rule of `slack.channels`. */
export interface ChannelRule {
  /** Globs of channel names (`ops-*`, without `#`) or ids; `@direct` matches direct messages. */
  readonly match: string | readonly string[]
  /** The agent that answers. Default: the entry agent. */
  readonly agent?: string
  /** True to refuse requests, whatever other rules say. */
  readonly deny?: boolean
}

/** The properties of a channel that rules match. */
export interface RoutedChannel {
  readonly id: string
  readonly name: string
  readonly isDirect: boolean
}

/** The agent that answers in a channel, or a refusal. */
type ChannelRoute =
  | { readonly allowed: true; readonly agent: string | undefined }
  | { readonly allowed: false }

/**
 * Returns the route of a channel. A deny rule that matches wins, then the first match. Without a match, the
 * entry agent answers.
 */
export function routeChannel(rules: readonly ChannelRule[], channel: RoutedChannel): ChannelRoute {
  const matching = rules.filter((rule) => [rule.match].flat().some((glob) => matches(glob, channel)))
  if (matching.some(({ deny }) => deny === true)) return { allowed: false }
  return { allowed: true, agent: matching[0]?.agent }
}

/** Returns true for the channel of a direct message. */
export function isDirectChannel(id: string): boolean {
  return id.startsWith('D')
}

function matches(glob: string, { id, name, isDirect }: RoutedChannel): boolean {
  if (glob === '@direct') return isDirect
  const isMatch = picomatch(glob.replace(/^#/u, ''), { nonegate: true })
  return isMatch(id) || (name !== '' && isMatch(name))
}
