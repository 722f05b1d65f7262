/** A channel of a fake workspace. Ids of direct messages begin with `D`. */
export interface FakeChannel {
  readonly id: string
  readonly name?: string
}

/** A workspace in which the app is installed. */
export interface FakeWorkspace {
  readonly team: string
  readonly botToken: string
  readonly botUser: string
  readonly botId: string
  readonly channels: readonly FakeChannel[]
  /** Scopes of the bot token. Default: all scopes. */
  readonly scopes?: readonly string[]
}

/** One workspace with two channels and a direct message. */
export const ACME: FakeWorkspace = {
  team: 'T0ACME',
  botToken: 'xoxb-acme-000000000000',
  botUser: 'U0BOT',
  botId: 'B0BOT',
  channels: [{ id: 'C0GENERAL', name: 'general' }, { id: 'C0OPS', name: 'ops-alerts' }, { id: 'D0ANN' }],
}

/** Returns true for a direct message channel. */
export function isDirect(channel: string): boolean {
  return channel.startsWith('D')
}
