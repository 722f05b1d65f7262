/**
 * V8 flags for a process that only serves, to set with `v8.setFlagsFromString` before it serves, as `troupe
 * serve` does, or as flags of `node`. In the first second under load nearly all new objects survive a
 * collection of the young generation. V8 then takes the code that allocates them for a source of long-lived
 * objects, and from then on allocates there in the old generation, together with everything they refer to.
 */
export const SERVER_V8_FLAGS: readonly string[] = Object.freeze(['--no-allocation-site-pretenuring'])
