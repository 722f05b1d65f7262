/** How long a provider may be silent, in ms, told by the bytes that come. */
export interface TransportTimeouts {
  /** From the request to the first byte of the answer. */
  readonly firstByte: number
  /** Between two pieces of the answer. */
  readonly idle: number
}

/** What holds where the configuration says nothing. The connection itself has 10 s, by `fetch`. */
export const DEFAULT_TIMEOUTS: TransportTimeouts = Object.freeze({ firstByte: 60_000, idle: 30_000 })
