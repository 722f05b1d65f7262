import type { Host } from '@troupe/host'
import { isJsonObject, type JsonObject } from '@troupe/schema'

/** An agent that takes JSON gets the object that the message is, so that it is checked against its schema. */
export function toInput(host: Host, message: string, agent?: string): string | JsonObject {
  if (host.definition(agent).input.format !== 'json') return message
  try {
    const value: unknown = JSON.parse(message)
    return isJsonObject(value) ? value : message
  } catch {
    // plain text: the agent gets it as it is
    return message
  }
}
