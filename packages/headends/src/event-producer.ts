/** A source of server-sent events. */
export interface EventProducer {
  /**
   * Returns the finished blocks that can be sent now, or `undefined` if there are none. Called only when the
   * client can take more. The bytes may be shared by several clients.
   */
  read(): string | Uint8Array | undefined
  /** True if no more events will come. There may still be some to read. */
  readonly isOver: boolean
  /**
   * Sets the single listener that is called when there is something to read or the stream is over, even if
   * that was so before this call.
   */
  onReady(listener: () => void): void
  /** Closes the source. Called when the client has disconnected or the stream was read to its end. */
  close(): void
}
