/** The run and the session that a response id names. */
export interface ResponseRef {
  readonly runId: string
  readonly sessionId: string
}

const PREFIX = 'run_'
const RESPONSE_ID = /^resp_([\w-]{1,100})\.([\w-]{1,100})(?:\.([\w-]{1,100}))?$/u

/**
 * Creates a response id. A session has the id of its first run. `answer` distinguishes the answers of one run,
 * of which each but the first continues the run with results of its client.
 */
export function responseId({ runId, sessionId }: ResponseRef, answer?: string): string {
  const id = `resp_${sessionId.slice(PREFIX.length)}.${runId.slice(PREFIX.length)}`
  return answer === undefined ? id : `${id}.${answer.slice(PREFIX.length)}`
}

/**
 * Creates the id of a response that its client does not want stored. It names no session, so the response can
 * be neither retrieved nor continued.
 */
export function unstoredResponseId(runId: string): string {
  return `resp_${runId.slice(PREFIX.length)}`
}

/** Parses a response id. Returns `undefined` if it is not one of Troupe's. */
export function readResponseId(id: string): ResponseRef | undefined {
  const [, session, run] = RESPONSE_ID.exec(id) ?? []
  if (session === undefined || run === undefined) return undefined
  return { runId: `${PREFIX}${run}`, sessionId: `${PREFIX}${session}` }
}
