/** An entry of the access log. It contains neither queries nor bodies. */
export interface AccessRecord {
  /** Wall time of the request, in ms. */
  readonly time: number
  readonly method: string
  readonly path: string
  readonly status: number
  /** Time from the request to the end of the response, in ms. */
  readonly durationMs: number
  /** `undefined` if the request was rejected. */
  readonly principal?: string
  /** Name of the headend that responded; `undefined` if none did. */
  readonly headend?: string
  readonly runId?: string
  /** Set if the client disconnected before the end of the response. */
  readonly aborted?: true
}
