import type { JsonObject, MaybePromise } from '@troupe/schema'
import type { FakeWorkspace } from './fake-workspace.ts'
import type { FakeMessageStore } from './fake-message-store.ts'
import type { SlackRefusal } from './slack-refusal.ts'

/** An authenticated call of a method. */
export interface MethodCall {
  readonly workspace: FakeWorkspace
  readonly args: JsonObject
  readonly messages: FakeMessageStore
}

/** Implements a method of the Web API. Returns the fields next to `ok`, or an error. */
export type SlackMethod = (call: MethodCall) => MaybePromise<JsonObject | SlackRefusal>

/** Returns a text argument; `undefined` if it is empty or not text. */
export function textOf(args: JsonObject, key: string): string | undefined {
  const value = args[key]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Returns true if the channel belongs to the token's workspace. */
export function knowsChannel({ workspace, args }: MethodCall, key = 'channel'): boolean {
  return workspace.channels.some(({ id }) => id === args[key])
}
