/** A run of a saved report, which is not in the store of runs. */
export interface EvalRunRef {
  readonly reportId: string
  readonly runId: string
}

const SEPARATOR = '~'

/** Returns the id of a run of a report, for pages that show runs of both kinds. */
export function evalRunId({ reportId, runId }: EvalRunRef): string {
  return `${reportId}${SEPARATOR}${runId}`
}

/** Parses the id of a run of a report; `undefined` for a run of the store. */
export function parseEvalRunId(id: string): EvalRunRef | undefined {
  const at = id.indexOf(SEPARATOR)
  return at < 0 ? undefined : { reportId: id.slice(0, at), runId: id.slice(at + 1) }
}
