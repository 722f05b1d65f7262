/** An error of the Web API: `{ ok: false, error }`. */
export interface SlackRefusal {
  readonly refused: string
}

/** Creates a Web API error. */
export function refuse(error: string): SlackRefusal {
  return { refused: error }
}

/** Returns true for an error. */
export function isRefused(answer: object | undefined): answer is SlackRefusal {
  return answer !== undefined && 'refused' in answer
}
