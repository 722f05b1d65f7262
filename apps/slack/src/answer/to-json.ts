import type { JsonObject } from '@troupe/schema'

/** What Slack has sent, as what it is: the types of its client leave out much of it. */
export function toJson(list: readonly object[]): readonly JsonObject[] {
  return list as readonly JsonObject[]
}
