import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { ResponseHead } from './response-object.ts'

/** What of a request stands on its response, and is kept with the run. */
const ECHOED = ['instructions', 'metadata', 'previous_response_id', 'text'] as const

type Echoed = Pick<ResponseHead['asked'], (typeof ECHOED)[number]>

/** What is kept with a run, so that its response can be given out again; undefined: nothing has to be. */
export function noteOf(asked: Echoed): JsonObject | undefined {
  const given = ECHOED.flatMap((key): [string, Json][] => {
    const value = asked[key]
    // read as JSON
    return value === undefined || value === null ? [] : [[key, value as Json]]
  })
  return given.length === 0 ? undefined : { response: Object.fromEntries(given) }
}

/** What was kept of it. */
export function echoedOf(note: JsonObject | undefined): Echoed {
  // written by this headend
  const kept = note?.['response']
  return isJsonObject(kept) ? kept : {}
}
