import { isJsonObject, type Json } from '@troupe/schema'

/** Returns the channel that a person has open, from the context of an event; `undefined` if it names none. */
export function viewedChannel(context: Json | undefined): string | undefined {
  if (!isJsonObject(context) || !Array.isArray(context['entities'])) return undefined
  for (const entity of context['entities'] as readonly Json[]) {
    const channel = isJsonObject(entity) ? channelOf(entity['value']) : undefined
    if (channel !== undefined) return channel
  }
  return undefined
}

/** Returns a channel id, given directly or as the channel of a message. */
function channelOf(value: Json | undefined): string | undefined {
  const id = isJsonObject(value) ? value['channel_id'] : value
  return typeof id === 'string' && /^[CG][A-Z0-9]+$/u.test(id) ? id : undefined
}
