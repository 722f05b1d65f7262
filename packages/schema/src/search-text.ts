/** The parts of a root run that are searched. */
export interface SearchableRun {
  readonly runId: string
  readonly agent: string
  readonly input: string
}

/** Number of characters of an input that are searched. The rest of a longer input is not. */
export const LONGEST_SEARCH_TEXT = 1000

/** Returns the text in which runs are searched: input, agent and run id, in lower case. The search term is compared in lower case too. */
export function searchText({ runId, agent, input }: SearchableRun): string {
  return `${input.slice(0, LONGEST_SEARCH_TEXT)}\n${agent}\n${runId}`.toLowerCase()
}
