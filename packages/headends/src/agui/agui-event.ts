/** One event of AG-UI 1.0, as it is sent. */
export interface AguiEvent {
  /** Such as `TEXT_MESSAGE_START`. */
  readonly type: string
  readonly [field: string]: unknown
}
