/** The searched parts of a root run. */
export interface SearchableRun {
  readonly runId: string
  readonly agent: string
  readonly input: string
}

/** Number of characters of an input that are searched. */
export const LONGEST_SEARCH_TEXT = 1000

/**
 * Returns the text that a search for runs looks in: input, agent and run id, in lower case. Search terms must
 * be in lower case too.
 */
export function searchText({ runId, agent, input }: SearchableRun): string {
  return `${input.slice(0, LONGEST_SEARCH_TEXT)}\n${agent}\n${runId}`.toLowerCase()
}
