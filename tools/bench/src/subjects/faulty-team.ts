import type { FAULT_RUN } from '../faults.ts'

/** The tool that calls a child, as both sides declare it. */
export const CHILD = 'ask_clerk'

/** What a child answers. */
export const LAST_WORDS = 'The part is done.'

/** A team of a parent and its children against one provider. */
export interface FaultyTeam {
  /** Returns the answer of the parent. Rejects if the run fails. */
  run(input: string): Promise<string>
  close(): Promise<void>
}

/** Opens a team for the model at an address. */
export type OpenTeam = (baseURL: string, options: typeof FAULT_RUN) => Promise<FaultyTeam> | FaultyTeam
