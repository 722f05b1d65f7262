import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { agentsFolderOf } from '@troupe/cards'
import { compositionReferences } from '@troupe/registry'
import { folderOf, isAddress, isFolder, isGlob } from '../cards/card-reference.ts'
import type { CheckedAgent } from '../check/check-agent.ts'
import { moduleFiles } from '../code/import-module.ts'
import { modulesOf } from '../code/team-runtime.ts'
import { sidecarsFor } from '../config/environments.ts'
import { CONFIG_NAME } from '../config/find-config.ts'
import type { HostOptions } from '../config/host-options.ts'
import type { LoadedTeam } from '../plan/load-team.ts'
import { scriptFiles } from '../prepare/resolve-models.ts'

/** Absolute paths that a team is read from. Some may not exist. */
export interface WatchedPaths {
  /** Folders in which files that could be cards, configuration or code are watched. */
  readonly folders: ReadonlySet<string>
  /** Folders that are watched with everything below them. */
  readonly trees: ReadonlySet<string>
  readonly files: ReadonlySet<string>
}

interface MutableWatchedPaths {
  readonly folders: Set<string>
  readonly trees: Set<string>
  readonly files: Set<string>
}

/**
 * Returns all paths that teams were read from or may be read from in the future. Cards from addresses are not
 * watched.
 */
export function watchedPaths(
  teams: Iterable<LoadedTeam>,
  options: Pick<HostOptions, 'cards' | 'extraCards' | 'envFiles' | 'config' | 'cwd' | 'formats'>,
): WatchedPaths {
  const found: MutableWatchedPaths = { folders: new Set(), trees: new Set(), files: new Set() }
  addOptions(options, found)
  for (const team of teams) addTeam(team, found)
  for (const folder of found.folders) {
    const searched = agentsFolderOf(folder, options)
    if (searched !== undefined) found.trees.add(searched)
  }
  return found
}

function addOptions(
  { cards, extraCards = [], envFiles = [], config, cwd }: Parameters<typeof watchedPaths>[1],
  found: MutableWatchedPaths,
): void {
  for (const card of [...cards, ...extraCards]) if (typeof card === 'string') addReference(card, cwd, found)
  for (const file of envFiles) found.files.add(resolve(cwd, file))
  if (typeof config === 'string') found.files.add(resolve(cwd, config))
  if (config !== undefined) return
  const start = folderOf(cards[0], cwd)
  for (const folder of [start, resolve(cwd)]) found.files.add(join(folder, CONFIG_NAME))
}

function addTeam({ agents, broken, config }: LoadedTeam, found: MutableWatchedPaths): void {
  if (config.file !== undefined) found.files.add(config.file)
  for (const reference of config.config.agents ?? []) addReference(reference, config.folder, found)
  const folder = config.file === undefined ? undefined : config.folder
  for (const { path, folder: own } of broken) {
    found.files.add(path)
    addFolder(own, folder, found)
  }
  for (const agent of agents.values()) {
    const { card } = agent.member
    if (card.address === undefined) addFolder(card.folder, folder, found)
    addAgent(agent, found)
  }
}

/** Adds a folder with cards and its possible env files. */
function addFolder(folder: string, configFolder: string | undefined, found: MutableWatchedPaths): void {
  found.folders.add(folder)
  for (const file of sidecarsFor(folder, configFolder)) found.files.add(file)
}

function addAgent(agent: CheckedAgent, found: MutableWatchedPaths): void {
  const { card, definition } = agent.member
  const files = [...(card.includes ?? []), ...(card.envFiles ?? []), ...scriptFiles(agent)]
  for (const file of files) found.files.add(file)
  for (const skill of definition.skills)
    if (typeof skill === 'string') found.trees.add(resolve(card.folder, skill))
  for (const module of modulesOf(definition)) found.folders.add(dirname(resolve(card.folder, module)))
  for (const url of agent.parts.modules)
    for (const file of moduleFiles(fileURLToPath(url)).keys()) found.files.add(file)
  if (card.address !== undefined) return
  for (const reference of [...definition.agents, ...compositionReferences(definition)])
    if (typeof reference === 'string' && /[\\/]/u.test(reference)) addReference(reference, card.folder, found)
}

/** Adds a file, folder or glob of cards. */
function addReference(reference: string, folder: string, found: MutableWatchedPaths): void {
  if (isAddress(reference)) return
  if (isGlob(reference)) {
    found.trees.add(resolve(folder, globBase(reference)))
    return
  }
  const path = resolve(folder, reference)
  if (isFolder(path)) found.folders.add(path)
  else found.files.add(path)
}

/** Returns the path before the first part with a wildcard. */
function globBase(glob: string): string {
  const parts = glob.split(/[\\/]/u)
  return parts.slice(0, parts.findIndex(isGlob)).join('/') || (glob.startsWith('/') ? '/' : '.')
}
