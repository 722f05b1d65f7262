import picomatch from 'picomatch'

/** A rule of `slack.channels`. */
export interface ChannelRule {
  /** Globs of channel names (`ops-*`, without `#`) or ids; `@direct` is a direct message. */
  readonly match: string | readonly string[]
  /** Who answers there; none: the entry agent. */
  readonly agent?: string
  /** Nobody answers there, whatever other rules say. */
  readonly deny?: boolean
}

/** A channel as rules see it. */
export interface RoutedChannel {
  readonly id: string
  readonly name: string
  readonly isDirect: boolean
}

/** Who answers in a channel. */
export type Route =
  | { readonly allowed: true; readonly agent: string | undefined }
  | { readonly allowed: false }

/** A deny rule that matches wins, then the first rule that matches. Without any the entry agent answers. */
export function routeChannel(rules: readonly ChannelRule[], channel: RoutedChannel): Route {
  const matching = rules.filter((rule) => [rule.match].flat().some((glob) => matches(glob, channel)))
  if (matching.some(({ deny }) => deny === true)) return { allowed: false }
  return { allowed: true, agent: matching[0]?.agent }
}

/** True for a channel of one person and the app. */
export function isDirectChannel(id: string): boolean {
  return id.startsWith('D')
}

function matches(glob: string, { id, name, isDirect }: RoutedChannel): boolean {
  if (glob === '@direct') return isDirect
  const isMatch = picomatch(glob.replace(/^#/u, ''), { nonegate: true })
  return isMatch(id) || (name !== '' && isMatch(name))
}
