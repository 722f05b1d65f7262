/** How long a provider may be silent, in ms, told by the bytes that come. */
export interface TransportTimeouts {
  /** Until it can be sent something, encryption included. */
  readonly connect: number
  /** From the request to the first byte of the answer. */
  readonly firstByte: number
  /** Between two pieces of the answer. */
  readonly idle: number
}

/** What holds where the configuration says nothing. */
export const DEFAULT_TIMEOUTS: TransportTimeouts = Object.freeze({
  connect: 10_000,
  firstByte: 60_000,
  idle: 30_000,
})
