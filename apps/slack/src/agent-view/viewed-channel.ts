import { isJsonObject, type Json } from '@troupe/schema'

/** The channel that a person has open beside the agent, by the context of an event; undefined: none, or something else. */
export function viewedChannel(context: Json | undefined): string | undefined {
  if (!isJsonObject(context) || !Array.isArray(context['entities'])) return undefined
  for (const entity of context['entities'] as readonly Json[]) {
    const channel = isJsonObject(entity) ? channelOf(entity['value']) : undefined
    if (channel !== undefined) return channel
  }
  return undefined
}

/** An id, or a message with that of its channel. */
function channelOf(value: Json | undefined): string | undefined {
  const id = isJsonObject(value) ? value['channel_id'] : value
  return typeof id === 'string' && /^[CG][A-Z0-9]+$/u.test(id) ? id : undefined
}
