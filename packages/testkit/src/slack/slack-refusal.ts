/** An error of the Web API: `{ ok: false, error }`. */
export interface SlackRefusal {
  readonly refused: string
}

/** Says no in the words of the Web API. */
export function refuse(error: string): SlackRefusal {
  return { refused: error }
}

/** True for what a method does not do. */
export function isRefused(answer: object | undefined): answer is SlackRefusal {
  return answer !== undefined && 'refused' in answer
}
