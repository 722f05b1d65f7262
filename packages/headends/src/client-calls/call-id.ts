/** The run that a call belongs to, and the id under which it waits there. */
export interface CallRef {
  readonly runId: string
  readonly approvalId: string
}

const RUN = 'run_'

/**
 * Returns the id under which a client knows a call: at most 64 letters, digits, `-` and `_`, as unguessable as
 * the id of its run.
 */
export function toCallId({ runId, approvalId }: CallRef): string {
  const [, turn, ordinal, attempt] = /:(\d+)\.(\d+)#(\d+)\.client$/u.exec(approvalId) ?? []
  return `call_${runId.slice(RUN.length)}_${turn}-${ordinal}-${attempt}`
}

/** Parses a call id. Returns `undefined` for ids of other services. */
export function readCallId(id: string): CallRef | undefined {
  const [, run, turn, ordinal, attempt] = /^call_([\w-]{1,60})_(\d{1,6})-(\d{1,6})-(\d{1,6})$/u.exec(id) ?? []
  if (run === undefined) return undefined
  const runId = `${RUN}${run}`
  return { runId, approvalId: `${runId}:${turn}.${ordinal}#${attempt}.client` }
}
