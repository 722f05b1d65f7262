import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { readCard, readCardFolder, type ParsedCard } from '@troupe/cards'
import type { Candidate } from './candidate.ts'

/** The agents of cards and folders, by name. Cards are read and nothing of them is run. */
export function agentCandidates(paths: readonly string[], cwd: string): readonly Candidate[] {
  const cards = (paths.length === 0 ? ['.'] : paths).flatMap((path) => readCards(resolve(cwd, path)))
  const agents = cards.flatMap(({ definition }) => definition ?? [])
  return agents.map(({ name, description }) => ({
    value: name,
    ...(description === undefined ? {} : { description }),
  }))
}

/** The card of a file, or those of a folder; of what is not there none. */
export function readCards(path: string): readonly ParsedCard[] {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return []
  return found.isDirectory() ? readCardFolder(path) : [readCard(path)]
}
