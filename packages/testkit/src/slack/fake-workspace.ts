/** A channel of a fake workspace. Ids that begin with `D` are direct messages. */
export interface FakeChannel {
  readonly id: string
  readonly name?: string
}

/** A workspace that the app is installed in. */
export interface FakeWorkspace {
  readonly team: string
  readonly botToken: string
  readonly botUser: string
  readonly botId: string
  readonly channels: readonly FakeChannel[]
  /** What the bot token may do; none: everything. */
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

/** True for a channel of one person and the app. */
export function isDirect(channel: string): boolean {
  return channel.startsWith('D')
}
