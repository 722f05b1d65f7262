/** Says who the server is and how often it was asked for its list. */
export const STATUS_TOOL = 'status'
/** Changes every tool of the list, and says so. */
export const REWRITE_TOOL = 'rewrite'

/** What {@link STATUS_TOOL} answers, as JSON. */
export interface ServerStatus {
  readonly pid: number
  readonly lists: number
  /** CPU µs that it has taken so far. */
  readonly cpu: number
}
