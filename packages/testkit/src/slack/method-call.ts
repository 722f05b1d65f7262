import type { JsonObject, MaybePromise } from '@troupe/schema'
import type { FakeWorkspace } from './fake-workspace.ts'
import type { MessageBoard } from './message-board.ts'
import type { SlackRefusal } from './slack-refusal.ts'

/** One call of a method by an app that is known. */
export interface MethodCall {
  readonly workspace: FakeWorkspace
  readonly args: JsonObject
  readonly board: MessageBoard
}

/** What a method of the Web API does: its fields beside `ok`, or why not. */
export type SlackMethod = (call: MethodCall) => MaybePromise<JsonObject | SlackRefusal>

/** An argument that is a text; empty ones are none. */
export function textOf(args: JsonObject, key: string): string | undefined {
  const value = args[key]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** True where the channel is one of the workspace whose token was sent. */
export function knowsChannel({ workspace, args }: MethodCall, key = 'channel'): boolean {
  return workspace.channels.some(({ id }) => id === args[key])
}
