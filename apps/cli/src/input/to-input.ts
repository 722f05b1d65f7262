import type { Host } from '@troupe/host'
import { isJsonObject, type JsonObject } from '@troupe/schema'

/**
 * Parses the message as a JSON object if the agent takes JSON, so that it is validated against the input
 * schema.
 */
export function toInput(host: Host, message: string, agent?: string): string | JsonObject {
  if (host.definition(agent).input.format !== 'json') return message
  try {
    const value: unknown = JSON.parse(message)
    return isJsonObject(value) ? value : message
  } catch {
    // Not JSON: pass the text on unchanged.
    return message
  }
}
