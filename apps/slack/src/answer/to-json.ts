import type { JsonObject } from '@troupe/schema'

/** Casts objects of the Slack API to JSON, because the client's types omit many fields. */
export function toJson(list: readonly object[]): readonly JsonObject[] {
  return list as readonly JsonObject[]
}
