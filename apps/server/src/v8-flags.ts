/**
 * What V8 is told in a process that does nothing but serve, before it does: by `v8.setFlagsFromString`, as `troupe serve` does, or as flags of `node`.
 * In the first second under load nearly everything that is made is still needed when young objects are collected. V8 takes the places that made it for places
 * of long-lived objects, more of them in one process than in another, and makes it in the old generation from then on, where it also keeps what it refers to.
 */
export const SERVER_V8_FLAGS: readonly string[] = Object.freeze(['--no-allocation-site-pretenuring'])
