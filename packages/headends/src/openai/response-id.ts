/** The id of a response names its run and the conversation that the run is part of. */
export interface ResponsePlace {
  readonly runId: string
  readonly sessionId: string
}

const PREFIX = 'run_'
const PLACE = /^resp_([\w-]{1,100})\.([\w-]{1,100})$/u

/** See {@link ResponsePlace}. The conversation has the id of its first run. */
export function responseId({ runId, sessionId }: ResponsePlace): string {
  return `resp_${sessionId.slice(PREFIX.length)}.${runId.slice(PREFIX.length)}`
}

/** The id of a response that its client does not want to be kept: it names nothing, so it is never given out again or gone on from. */
export function unkeptResponseId(runId: string): string {
  return `resp_${runId.slice(PREFIX.length)}`
}

/** What an id names; undefined: it is none of ours. */
export function readResponseId(id: string): ResponsePlace | undefined {
  const [, session, run] = PLACE.exec(id) ?? []
  if (session === undefined || run === undefined) return undefined
  return { runId: `${PREFIX}${run}`, sessionId: `${PREFIX}${session}` }
}
