import { basename, dirname, join } from 'node:path'
import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { isInside } from '@troupe/schema/paths'
import type { ProductFolders, ProjectSettings, RawCard } from '@troupe/cards/formats'

/** A folder that fast-agent could be started in, with the home folder that it would use. */
interface ProjectPlace {
  readonly root: string
  readonly home: string
}

/** The project of a card and its settings. */
export interface FastAgentProject extends ProjectPlace {
  /** The configuration with the secrets merged over it. */
  readonly settings: JsonObject
  /** The configuration without the secrets. */
  readonly config: JsonObject
  /** The file of the configuration; `undefined` if there is none. */
  readonly file: ProjectSettings | undefined
  /** A second configuration in the same folder, which fast-agent rejects. */
  readonly second: ProjectSettings | undefined
}

const CONFIG_NAMES = ['fast-agent.yaml', 'fast-agent.config.yaml', 'fastagent.config.yaml']
const SECRET_NAMES = ['fast-agent.secrets.yaml', 'fastagent.secrets.yaml']
const HOME = '.fast-agent'
const IN_HOME = /^(?<home>(?:(?<root>.*)\/)?\.fast-agent)\/(?:agent|tool)[-_]cards\/[^/]+$/u
const IN_CARDS = /(?:^|\/)(?:agent|tool)[-_]cards$/u
/** Maximum number of folders searched for a configuration, beginning with that of the card. */
const MAX_FOLDERS = 5

/** Returns the paths of all files that may hold the configuration or the secrets of a card's project. */
export function fastAgentProjectFiles(path: string, { workspace }: ProductFolders): readonly string[] {
  const folders = placesOf(path, workspace).flatMap(({ home, root }) => [home, root])
  return [...new Set(folders)].flatMap((folder) =>
    [...CONFIG_NAMES, ...SECRET_NAMES].map((name) => join(folder, name)),
  )
}

const known = new WeakMap<RawCard, FastAgentProject>()

/**
 * Returns the project of a card. Its folder is the one that contains `.fast-agent`, else the nearest one with
 * a configuration, from the folder of the card up to the working folder, else the working folder.
 */
export function projectOf(card: RawCard): FastAgentProject {
  const project = known.get(card) ?? findProject(card)
  known.set(card, project)
  return project
}

/**
 * Returns true if a configuration of fast-agent, and none of Troupe, lies in a folder of the card's project, or
 * if a card with a `type` lies in a folder named as fast-agent's.
 */
export function hasProject({ path, fields, workspace = dirname(path), listFiles }: RawCard): boolean {
  if (listFiles === undefined || [...CONFIG_NAMES, ...SECRET_NAMES].includes(basename(path))) return false
  const isNamed = IN_CARDS.test(dirname(path).replaceAll('\\', '/')) && fields['type'] !== undefined
  const names = new Set(CONFIG_NAMES)
  for (const { home, root } of placesOf(path, workspace)) {
    const files = listFiles(root)
    if (files.includes('troupe.json')) return false
    const isHere = files.some((name) => names.has(name))
    if (isHere || isNamed || (files.includes(HOME) && listFiles(home).some((name) => names.has(name))))
      return true
  }
  return false
}

/** Returns the value at a path of mappings. */
export function settingAt(settings: JsonObject, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (found, key) => (isJsonObject(found) ? getOwn(found, key) : undefined),
    settings,
  )
}

function findProject(card: RawCard): FastAgentProject {
  const { path, workspace = dirname(path), project = [] } = card
  const places = placesOf(path, workspace)
  for (const place of places) {
    for (const folder of [place.home, place.root]) {
      const [file, second] = filesIn(folder, CONFIG_NAMES, project)
      if (file !== undefined) return toProject(place, { file, second, secrets: secretsIn([folder], project) })
    }
  }
  const place = places.find(({ root }) => root === workspace) ??
    places[0] ?? { root: workspace, home: join(workspace, HOME) }
  const secrets = secretsIn([place.home, place.root], project)
  return toProject(place, { file: undefined, second: undefined, secrets })
}

function toProject(
  place: ProjectPlace,
  {
    file,
    second,
    secrets,
  }: Pick<FastAgentProject, 'file' | 'second'> & { readonly secrets: JsonObject | undefined },
): FastAgentProject {
  const config = file?.fields ?? {}
  const settings = secrets === undefined ? config : merge(config, secrets)
  return { ...place, config, settings, file, second }
}

function placesOf(path: string, workspace: string): readonly ProjectPlace[] {
  const file = path.replaceAll('\\', '/')
  const { home, root = '' } = IN_HOME.exec(file)?.groups ?? {}
  if (home !== undefined) return [{ home, root: root === '' ? dirname(home) : root }]
  const folders: string[] = [dirname(file)]
  const end = workspace.replaceAll('\\', '/')
  for (let folder = dirname(file); folders.length < MAX_FOLDERS && folder !== end;) {
    folder = dirname(folder)
    if (!isInside(end, folder) || folders.includes(folder)) break
    folders.push(folder)
  }
  // A folder of cards is the home of its project if it is not below `.fast-agent`, such as that of a card pack.
  const pack = IN_CARDS.test(dirname(file)) ? dirname(dirname(file)) : undefined
  return folders.map((folder) => ({ root: folder, home: pack ?? join(folder, HOME) }))
}

function filesIn(
  folder: string,
  names: readonly string[],
  project: readonly ProjectSettings[],
): readonly ProjectSettings[] {
  const paths = names.map((name) => join(folder, name))
  return project.filter(({ file }) => paths.includes(file))
}

function secretsIn(folders: readonly string[], project: readonly ProjectSettings[]): JsonObject | undefined {
  return folders.flatMap((folder) => filesIn(folder, SECRET_NAMES, project))[0]?.fields
}

/** Returns `base` with the values of `over` in place of its own; mappings are merged. */
function merge(base: JsonObject, over: JsonObject): JsonObject {
  const merged = Object.entries(over).map(([key, value]): [string, Json] => {
    const own = getOwn(base, key)
    return [key, isJsonObject(own) && isJsonObject(value) ? merge(own, value) : value]
  })
  return { ...base, ...Object.fromEntries(merged) }
}
