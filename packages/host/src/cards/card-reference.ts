import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { AgentDefinition } from '@troupe/schema'
import type { LoadedConfig } from '../config/read-config.ts'
import type { CardPool, TeamCard } from './card-pool.ts'

/** Returns true for a URL, allowed or not. */
export function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//iu.test(text)
}

/** Returns true if the text contains wildcards. */
export function isGlob(text: string): boolean {
  return GLOB.test(text)
}
const GLOB = /[*?[\]{}]/u

/** Returns true for a folder or a link to one; false if the path does not exist. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** A card as given by the caller: path, URL, or definition. */
type CardInput = string | AgentDefinition

/** Returns the cards for a path, URL or definition. A missing file gives a card with that problem. */
export function resolveCards(
  card: CardInput,
  { pool, cwd }: { readonly pool: CardPool; readonly cwd: string },
): readonly TeamCard[] {
  if (typeof card !== 'string') return [pool.code(card)]
  return isAddress(card) ? pool.remote(card) : pool.path(resolve(cwd, card))
}

/** Returns the cards for an entry of `agents` in the configuration. */
export function resolveConfiguredCards(
  path: string,
  pool: CardPool,
  { folder }: LoadedConfig,
): readonly TeamCard[] {
  if (isAddress(path)) return pool.remote(path)
  return isGlob(path) ? pool.glob(path, folder) : pool.path(resolve(folder, path))
}

/** Returns the folder where the search for the configuration starts. */
export function folderOf(card: CardInput | undefined, cwd: string): string {
  if (card === undefined) return cwd
  if (typeof card !== 'string') return resolve(cwd, card.source.folder ?? '.')
  if (isAddress(card)) return cwd
  return cardFolder(card, cwd) ?? dirname(resolve(cwd, card))
}

/** Returns the path of the folder that a card names; `undefined` for a file, an address or a definition. */
export function cardFolder(card: CardInput | undefined, cwd: string): string | undefined {
  if (typeof card !== 'string' || isAddress(card)) return undefined
  const path = resolve(cwd, card)
  return isFolder(path) ? path : undefined
}
