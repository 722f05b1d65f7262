import { dirname, join, resolve } from 'node:path'
import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { FieldContext, ProductFolders, ProjectSettings, RawCard } from '@troupe/cards/formats'
import { mappingOf } from '../rules/field-rule.ts'
import { problemPlace } from '../rules/project-settings.ts'

const CONFIG_NAME = '.ai-agent.json'

/** Returns the configuration files that apply to a card, in order of precedence, lowest first. */
export function configFiles(path: string, { workspace, home }: ProductFolders): readonly string[] {
  return [
    '/etc/ai-agent/ai-agent.json',
    ...(home === undefined ? [] : [join(home, '.ai-agent', 'ai-agent.json')]),
    join(dirname(path), CONFIG_NAME),
    join(workspace, CONFIG_NAME),
  ]
}

/** Returns the env files beside the configuration files, such as `.ai-agent.env`. */
export function configEnvFiles(path: string, folders: ProductFolders): readonly string[] {
  return configFiles(path, folders).map((file) => file.replace(/json$/u, 'env'))
}

/** Returns the configuration layers of a card in order of precedence, highest first. */
export function configLayers({ project = [], workspace }: RawCard): readonly ProjectSettings[] {
  const first = workspace === undefined ? undefined : resolve(workspace, CONFIG_NAME)
  const isFirst = ({ file }: ProjectSettings): boolean => resolve(file) === first
  return [...project.filter(isFirst), ...project.filter((layer) => !isFirst(layer)).toReversed()]
}

/** An entry of a section such as `mcpServers`, with the layer that defines it. */
export interface ConfigEntry {
  readonly value: Json
  readonly settings: ProjectSettings
  readonly at: readonly [section: string, name: string]
}

/** Returns an entry from the first layer that has it. */
export function findConfigEntry(
  layers: readonly ProjectSettings[],
  section: string,
  name: string,
): ConfigEntry | undefined {
  for (const settings of layers) {
    const value = getOwn(mappingOf(settings.fields[section]), name)
    if (value !== undefined) return { value, settings, at: [section, name] }
  }
  return undefined
}

/** Reports an entry that Troupe cannot use. `key` is a key of the entry. */
export function refuseEntry(
  { settings, at }: ConfigEntry,
  { rewriter }: FieldContext,
  what: { readonly message: string; readonly key?: string; readonly fix?: string },
): void {
  const { message, key, fix } = what
  rewriter.addProblem({
    code: 'card_unsupported',
    message: `${settings.name}: \`${at.join('.')}\` ${message}.`,
    ...(fix === undefined ? {} : { fix }),
    ...problemPlace({ settings, at: key === undefined ? at : [...at, key] }),
  })
}

/** Returns the entry as a mapping. Reports any other value. */
export function entryMapping(entry: ConfigEntry, field: FieldContext): JsonObject | undefined {
  if (isJsonObject(entry.value)) return entry.value
  refuseEntry(entry, field, { message: 'must be a mapping' })
  return undefined
}

/** Top-level keys that only troupe.json has. */
const TROUPE_KEYS = [
  'agents',
  'codeRoots',
  'models',
  'permissions',
  'runtime',
  'server',
  'store',
  'toolLock',
] as const

/** Returns the path of a key that only troupe.json has, in the content of a configuration. */
export function findTroupeKey(fields: JsonObject): readonly string[] | undefined {
  const key = TROUPE_KEYS.find((name) => Object.hasOwn(fields, name))
  if (key !== undefined) return [key]
  const defaults = mappingOf(fields['defaults'])
  const inDefaults = ['limits', 'model'].find((name) => Object.hasOwn(defaults, name))
  return inDefaults === undefined ? undefined : ['defaults', inDefaults]
}

/**
 * Reports keys of troupe.json. Troupe used to read `.ai-agent.json` as a troupe.json, so its rules must not
 * get lost.
 */
export function refuseTroupeKeys(layers: readonly ProjectSettings[], { rewriter }: FieldContext): void {
  for (const settings of layers) {
    const at = findTroupeKey(settings.fields)
    if (at === undefined) continue
    rewriter.addProblem({
      code: 'config_invalid',
      message: `${settings.name}: \`${at.join('.')}\` is a key of troupe.json, but this file has the keys of ai-agent.`,
      fix: 'Rename the file to troupe.json, or move the key to a troupe.json.',
      ...problemPlace({ settings, at }),
    })
  }
}
