import { resolve } from 'node:path'

/** The cards of a team, and one of its agents. */
export interface TeamReference {
  /** Absolute path of a card or a folder of cards. */
  readonly cards: string
  /** Default: the entry of the cards. */
  readonly agent?: string
}

/**
 * Resolves a reference to an agent: the path of a card or folder, relative to the folder of the case file, or
 * the name of an agent of `cards`.
 */
export function resolveAgent(reference: string, folder: string, cards: string = folder): TeamReference {
  const isPath = /[./\\]/u.test(reference)
  return isPath ? { cards: resolve(folder, reference) } : { cards, agent: reference }
}
