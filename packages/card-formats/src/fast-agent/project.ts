import { basename, dirname, join, resolve } from 'node:path'
import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { isInside } from '@troupe/schema/paths'
import type { FieldContext, ProductFolders, ProjectSettings, RawCard } from '@troupe/cards/formats'
import { isText } from '../rules/field-rule.ts'

/** A folder that fast-agent could be started in, with the home folder that it would use. */
interface ProjectPlace {
  readonly root: string
  readonly home: string
}

/** The project of a card and its settings. */
export interface FastAgentProject extends ProjectPlace {
  /** The configuration with the secrets merged over it, and the variables that set what both leave open. */
  readonly settings: JsonObject
  /** The configuration without the secrets. */
  readonly config: JsonObject
  /** The file of the configuration; `undefined` if there is none. */
  readonly file: ProjectSettings | undefined
  readonly variables: RawCard['variables']
  /** The files with secrets in its folder. */
  readonly secrets: readonly ProjectSettings[]
  /** A second configuration in the same folder, which fast-agent rejects. */
  readonly second: ProjectSettings | undefined
}

/** Name in reports of settings from variables, and of secrets without a configuration. */
export const SETTINGS_WITHOUT_FILE = '(secrets, variables)'

const CONFIG_NAMES = ['fast-agent.yaml', 'fast-agent.config.yaml', 'fastagent.config.yaml']
const SECRET_NAMES = ['fast-agent.secrets.yaml', 'fastagent.secrets.yaml']
const ENV_FILE = '.env'
const HOME = '.fast-agent'
const IN_HOME = /^(?<home>(?:(?<root>.*)\/)?\.fast-agent)\/(?:agent|tool)[-_]cards\/[^/]+$/u
const IN_CARDS = /(?:^|\/)(?:agent|tool)[-_]cards$/u
/** Maximum number of folders searched for a configuration, beginning with that of the card. */
const MAX_FOLDERS = 5

/** Returns the paths of all files that may hold the configuration or the secrets of a card's project. */
export function fastAgentProjectFiles(path: string, folders: ProductFolders): readonly string[] {
  const places = placesOf(path, folders)
  const names = [...CONFIG_NAMES, ...SECRET_NAMES]
  const all = new Set(places.flatMap(({ home, root }) => [home, root]))
  return [
    ...[...all].flatMap((folder) => names.map((name) => join(folder, name))),
    // A folder of that name is a virtual environment of Python.
    ...[...new Set(places.map(({ root }) => join(root, ENV_FILE)))].filter(
      (file) => (folders.listFiles?.(file) ?? []).length === 0,
    ),
  ]
}

/** Returns the home folder of a card in it, which holds the functions and hooks of its cards. */
export function fastAgentCodeRoots(path: string, folders: ProductFolders): readonly string[] {
  const file = path.replaceAll('\\', '/')
  const homes = placesOf(path, folders).map(({ home }) => home)
  return [...new Set(homes)].filter((home) => isInside(home, file))
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
export function hasProject(card: RawCard): boolean {
  const { path, fields, workspace = dirname(path), variables, listFiles } = card
  if (listFiles === undefined || [...CONFIG_NAMES, ...SECRET_NAMES].includes(basename(path))) return false
  const isNamed = IN_CARDS.test(dirname(path).replaceAll('\\', '/')) && fields['type'] !== undefined
  const names = new Set(CONFIG_NAMES)
  for (const { home, root } of placesOf(path, { workspace, variables })) {
    const files = listFiles(root)
    if (files.includes('troupe.json')) return false
    const isHere = files.some((name) => names.has(name))
    // A home folder that a variable names says nothing about cards elsewhere.
    const isOwnHome = home === join(root, HOME) ? files.includes(HOME) : isInside(home, path)
    if (isHere || isNamed || (isOwnHome && listFiles(home).some((name) => names.has(name)))) return true
  }
  return false
}

/** Adds a warning for a setting of the configuration that has no effect, once for all cards of the project. */
export function warnOfSetting(
  path: readonly string[],
  message: string,
  { rewriter, card }: Pick<FieldContext, 'rewriter' | 'card'>,
): void {
  const { file } = projectOf(card)
  const place = file && { file: file.file, ...(file.positionOf(path) ?? { line: 1, column: 1 }) }
  rewriter.addProblem({
    severity: 'warning',
    code: 'key_without_effect',
    message,
    ...(place === undefined ? {} : { place }),
  })
}

/** Returns the value at a path of mappings. */
export function settingAt(settings: JsonObject, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (found, key) => (isJsonObject(found) ? getOwn(found, key) : undefined),
    settings,
  )
}

function findProject(card: RawCard): FastAgentProject {
  const { path, workspace = dirname(path), variables, project = [] } = card
  const places = placesOf(path, { workspace, variables })
  for (const place of places) {
    for (const folder of [place.home, place.root]) {
      const [file, second] = filesIn(folder, CONFIG_NAMES, project)
      if (file === undefined) continue
      // The home of a card pack can also be the folder of the project, which is then not that of the cards.
      const own = places.find(({ root }) => root === folder) ?? place
      return toProject(own, { file, second, secrets: filesIn(folder, SECRET_NAMES, project) }, card)
    }
  }
  const place = places.find(({ root }) => root === workspace) ??
    places[0] ?? { root: workspace, home: join(workspace, HOME) }
  const secrets = [place.home, place.root]
    .map((folder) => filesIn(folder, SECRET_NAMES, project))
    .find((files) => files.length > 0)
  return toProject(place, { file: undefined, second: undefined, secrets: secrets ?? [] }, card)
}

function toProject(
  place: ProjectPlace,
  { file, second, secrets }: Pick<FastAgentProject, 'file' | 'second' | 'secrets'>,
  { variables, project = [] }: RawCard,
): FastAgentProject {
  const config = convertVariables(file?.fields ?? {})
  const [envFile] = filesIn(place.root, [ENV_FILE], project)
  const fromFile = settingsOf(Object.entries(envFile?.fields ?? {}), { asReferences: false })
  const names = (variables?.names() ?? []).filter((name) => name.includes('__'))
  const fromVariables = settingsOf(
    names.map((name) => [name, variables?.get(name) ?? '']),
    { asReferences: true },
  )
  const { default_model: model, ...rest } = merge(config, convertVariables(secrets[0]?.fields ?? {}))
  const chosen = model ?? variables?.get('FAST_AGENT_MODEL')
  const settings = merge(merge(fromFile, fromVariables), rest)
  return {
    ...place,
    config,
    settings: chosen === undefined ? settings : { ...settings, default_model: chosen },
    file,
    second,
    secrets,
    variables,
  }
}

/** Returns the settings that variables such as `OPENAI__BASE_URL` stand for. */
function settingsOf(
  variables: readonly (readonly [string, Json])[],
  { asReferences }: { readonly asReferences: boolean },
): JsonObject {
  return variables.reduce<JsonObject>((settings, [name, value]) => {
    const path = name.toLowerCase().split('__')
    if (path.length < 2 || path.includes('') || !isText(value)) return settings
    const isExpanded = asReferences && !READ_HERE.test(name) && !/^[[{]/u.test(value)
    const setting = isExpanded ? `\${${name}}` : toSetting(name, value)
    const nested = path.reduceRight<Json>((inner, key) => Object.fromEntries([[key, inner]]), setting)
    return merge(settings, nested as JsonObject)
  }, {})
}

/** Sections that are read while the card is. Troupe expands the variables of all others when it needs them. */
const READ_HERE = /^(?:compaction|shell_execution|model_references|skills)__/iu
const WITH_NUMBERS = /^(?:compaction|shell_execution)__/iu

/** Reads the value of a variable: a list, a mapping, or a number or switch where a section has these. */
function toSetting(name: string, text: string): Json {
  if (!/^[[{]/u.test(text) && !WITH_NUMBERS.test(name)) return text
  try {
    return JSON.parse(text) as Json
  } catch {
    // Text that is not JSON.
    return text
  }
}

const WITH_DEFAULT = /\$\{(?<name>[A-Za-z_]\w*):(?!-)(?<fallback>[^}]*)\}/gu

/** Converts `${VAR:default}` to `${VAR:-default}` in all texts of a value. */
export function convertVariables<Value extends Json>(value: Value): Value {
  return convertTexts(value) as Value
}

function convertTexts(value: Json): Json {
  if (isText(value)) return value.replaceAll(WITH_DEFAULT, '${$<name>:-$<fallback>}')
  if (Array.isArray(value)) return (value as readonly Json[]).map(convertTexts)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, convertTexts(member)]))
}

function placesOf(
  path: string,
  { workspace, variables }: Pick<ProductFolders, 'workspace' | 'variables'>,
): readonly ProjectPlace[] {
  const chosen = variables?.get('FAST_AGENT_HOME')
  const home = chosen === undefined || chosen === '' ? undefined : resolve(workspace, chosen)
  const places = usualPlacesOf(path, workspace)
  if (home === undefined) return places
  return isInside(home, path) ? [{ root: workspace, home }] : places.map(({ root }) => ({ root, home }))
}

function usualPlacesOf(path: string, workspace: string): readonly ProjectPlace[] {
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

/** Returns `base` with the values of `over` in place of its own; mappings are merged. */
function merge(base: JsonObject, over: JsonObject): JsonObject {
  const merged = Object.entries(over).map(([key, value]): [string, Json] => {
    const own = getOwn(base, key)
    return [key, isJsonObject(own) && isJsonObject(value) ? merge(own, value) : value]
  })
  return { ...base, ...Object.fromEntries(merged) }
}
