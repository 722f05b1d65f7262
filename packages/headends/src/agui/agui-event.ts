/** An event of AG-UI 1.0. */
export interface AguiEvent {
  /** Event type, such as `TEXT_MESSAGE_START`. */
  readonly type: string
  readonly [field: string]: unknown
}
