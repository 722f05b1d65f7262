/** What a stream of server-sent events is filled from. */
export interface EventSource {
  /** What can be sent now, as finished blocks; undefined: nothing yet, or nothing any more. Is asked only when the client can take more. Bytes may be shared by many clients. */
  read(): string | Uint8Array | undefined
  /** Nothing comes any more; there may still be something to read. */
  readonly isOver: boolean
  /** Is told when there is something to read, or it is over; also of what was there before. For one listener. */
  onReady(listener: () => void): void
  /** The client has left, or the stream was read to its end. */
  close(): void
}
