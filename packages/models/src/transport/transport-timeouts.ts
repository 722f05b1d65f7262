/** Timeouts of a provider, in ms. */
export interface TransportTimeouts {
  /** Time to connect, including TLS. */
  readonly connect: number
  /** Time from the request to the first byte of the response. */
  readonly firstByte: number
  /** Time between two chunks of the response. */
  readonly idle: number
}

/** Timeouts that apply if none are configured. */
export const DEFAULT_TIMEOUTS: TransportTimeouts = Object.freeze({
  connect: 10_000,
  firstByte: 60_000,
  idle: 30_000,
})
