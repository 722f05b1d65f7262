import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { ResponseHead } from './response-object.ts'

/** Fields of a request that its response repeats. They are stored with the run. */
const ECHOED = ['instructions', 'metadata', 'previous_response_id', 'text'] as const

type EchoedFields = Pick<ResponseHead['request'], (typeof ECHOED)[number]>

/**
 * Returns the note to store with a run, so that its response can be retrieved later; `undefined` if nothing
 * has to be stored.
 */
export function noteOf(request: EchoedFields): JsonObject | undefined {
  const given = ECHOED.flatMap((key): [string, Json][] => {
    const value = request[key]
    // Parsed from JSON.
    return value === undefined || value === null ? [] : [[key, value as Json]]
  })
  return given.length === 0 ? undefined : { response: Object.fromEntries(given) }
}

/** Returns the request fields in the note of a run. */
export function echoedFieldsOf(note: JsonObject | undefined): EchoedFields {
  // Written by this headend.
  const stored = note?.['response']
  return isJsonObject(stored) ? stored : {}
}
