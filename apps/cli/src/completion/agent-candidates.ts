import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { readCard, readCardFolder, type ParsedCard } from '@troupe/cards'
import type { Candidate } from './candidate.ts'

/** Returns the agents of cards and folders by name. Cards are parsed, but no code of them is run. */
export function agentCandidates(paths: readonly string[], cwd: string): readonly Candidate[] {
  const cards = (paths.length === 0 ? ['.'] : paths).flatMap((path) => readCards(resolve(cwd, path)))
  const agents = cards.flatMap(({ definition }) => definition ?? [])
  return agents.map(({ name, description }) => ({
    value: name,
    ...(description === undefined ? {} : { description }),
  }))
}

/** Reads the card of a file, or the cards of a folder. Returns none if the path does not exist. */
export function readCards(path: string): readonly ParsedCard[] {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return []
  return found.isDirectory() ? readCardFolder(path) : [readCard(path)]
}
