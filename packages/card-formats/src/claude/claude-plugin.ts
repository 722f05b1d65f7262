import { posix } from 'node:path'
import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import {
  textList,
  type FieldContext,
  type FieldRow,
  type ProductFiles,
  type ProjectSettings,
} from '@troupe/cards/formats'
import { mappingOf, textOf, translated } from '../rules/field-rule.ts'
import {
  lostSetting,
  reportSetting,
  reportSettings,
  sameRule,
  settingRows,
  type SettingRules,
} from '../rules/project-settings.ts'
import { isServer, type ProjectServer } from '../rules/project-servers.ts'

const MANIFEST = '.claude-plugin/plugin.json'
/** File with the hooks of a plugin. */
const HOOKS = 'hooks/hooks.json'
/** Folders of a plugin that hold its agents and commands, by the key of the manifest that adds to them. */
const PARTS = ['agents', 'commands'] as const

/** Maximum number of folders between an agent or a command and its plugin. */
const MAX_DEPTH = 8

/** Returns the folder of the plugin that a path of an agent or a command is in; `undefined` if there is none. */
export function pluginFolder(path: string, files: ProductFiles): string | undefined {
  const file = path.replaceAll('\\', '/')
  if (!IN_PART.test(file)) return undefined
  let folder = posix.dirname(file)
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    if (isPlugin(folder, files)) return folder
    const above = posix.dirname(folder)
    if (above === folder) return undefined
    folder = above
  }
  return undefined
}

const IN_PART = /(?:^|\/)(?:agents|commands)\//u

/** Returns true for the folder of a plugin. */
export function isPlugin(folder: string, { listFiles }: ProductFiles): boolean {
  return listFiles?.(posix.join(folder, '.claude-plugin')).includes('plugin.json') === true
}

const MARKETPLACE = 'marketplace.json'

/** Returns true for the folder of a marketplace, which lists plugins. */
export function isMarketplace(folder: string, { listFiles }: ProductFiles): boolean {
  return listFiles?.(posix.join(folder, '.claude-plugin')).includes(MARKETPLACE) === true
}

/** Returns the paths of the agents and commands of the plugins in a marketplace, without plugins from elsewhere. */
export function marketplacePaths(folder: string, files: ProductFiles): readonly string[] {
  const { plugins, metadata } = readObject(
    posix.join(folder, '.claude-plugin', MARKETPLACE),
    folder,
    files.readText,
  )
  const root = textOf(mappingOf(metadata)['pluginRoot'], '.')
  const entries: readonly Json[] = Array.isArray(plugins) ? (plugins as readonly Json[]) : []
  const folders = entries.flatMap((entry) => {
    const { source } = mappingOf(entry)
    if (typeof source !== 'string') return []
    const path = posix.join(folder, /^\.{1,2}(?:\/|$)/u.test(source) ? '.' : root, source)
    return isBelow(path, folder) && isPlugin(path, files) ? [path] : []
  })
  const own = isPlugin(folder, files) ? [folder] : []
  return [...new Set([...own, ...folders])].flatMap((each) => pluginPaths(each, files))
}

/** Returns the paths of a plugin's agents and commands: the default folders, and those that its manifest adds. */
export function pluginPaths(folder: string, { readText }: ProductFiles): readonly string[] {
  const manifest = readObject(posix.join(folder, MANIFEST), folder, readText)
  const added = PARTS.flatMap((part) => (textList(manifest[part] ?? [], []) ?? []).map(({ text }) => text))
  const inside = added.map((path) => posix.join(folder, path)).filter((path) => isBelow(path, folder))
  return [...PARTS.map((part) => posix.join(folder, part)), ...inside]
}

/** Returns the project files of the plugin that a card is in. */
export function pluginFiles(path: string, files: ProductFiles): readonly string[] {
  const folder = pluginFolder(path, files)
  return folder === undefined ? [] : [MANIFEST, '.mcp.json', HOOKS].map((file) => posix.join(folder, file))
}

/** Returns the settings that hold the manifest of the card's plugin. */
export function manifestOf({ card }: Pick<FieldContext, 'card'>): ProjectSettings | undefined {
  return card.project?.find(({ name }) => name === MANIFEST || name.endsWith(`/${MANIFEST}`))
}

/** Returns the servers of a plugin. Their names begin with that of the plugin, as in Claude Code. */
export function pluginServers(field: FieldContext, manifest: ProjectSettings): readonly ProjectServer[] {
  const { project = [], readText, path } = field.card
  const root = posix.dirname(posix.dirname(manifest.file.replaceAll('\\', '/')))
  const plugin = textOf(manifest.fields['name'], posix.basename(root))
  const { mcpServers } = manifest.fields
  const own = project.filter(({ file }) => file.replaceAll('\\', '/') === posix.join(root, '.mcp.json'))
  const added = typeof mcpServers === 'string' ? [mcpServers] : Array.isArray(mcpServers) ? mcpServers : []
  const all = [
    ...own.map(({ fields }) => fields),
    ...(added as readonly Json[]).map((file) => readObject(posix.join(root, textOf(file)), root, readText)),
    mappingOf(mcpServers),
  ]
  const folder =
    posix.relative(posix.dirname(path.replaceAll('\\', '/')), field.card.workspace ?? root) || '.'
  return all
    .flatMap((servers) =>
      Object.entries(isJsonObject(servers['mcpServers']) ? servers['mcpServers'] : servers),
    )
    .filter(([, definition]) => isServer(definition))
    .map(([name, definition]) => ({
      name: `plugin_${plugin}_${name}`,
      definition: withVariables(definition, { CLAUDE_PLUGIN_ROOT: root }),
      settings: manifest,
      folder,
    }))
}

const HOOKS_REASON = 'hooks are shell commands in Claude Code; write them as `toolHooks` and `permissions`'

/** The keys of `plugin.json`. */
const RULES: SettingRules = {
  name: translated('mcpServers', 'the names of its servers begin with it'),
  agents: translated('(files)', 'in addition to the folder `agents`'),
  commands: translated('(files)', 'in addition to the folder `commands`'),
  mcpServers: translated('mcpServers', 'in addition to `.mcp.json`'),
  skills: lostSetting('agents find skills in the folder `skills` of the plugin'),
  hooks: lostSetting(HOOKS_REASON),
  lspServers: lostSetting('Troupe has no language servers'),
  outputStyles: lostSetting('write the style in the prompts'),
  channels: lostSetting('messages from outside start runs; see `troupe serve`'),
  monitors: lostSetting('commands are not watched'),
  experimental: lostSetting('Troupe does not read it'),
  settings: lostSetting('plugins have no settings in Troupe'),
  dependencies: lostSetting('plugins that it depends on are not loaded'),
  userConfig: translated('(variables)', '`${user_config.key}` becomes `${CLAUDE_PLUGIN_OPTION_KEY}`'),
  ...sameRule(
    ['displayName', 'version', 'description', 'author', 'homepage', 'repository', 'license', 'keywords'],
    { status: 'ignored', reason: 'it is catalogue metadata' },
  ),
  defaultEnabled: { status: 'ignored', reason: 'a plugin is used when it is run' },
  $schema: { status: 'ignored', reason: 'only editors use it' },
}

/** Rows of the documentation for `plugin.json`. */
export const CLAUDE_PLUGIN_ROWS: readonly FieldRow[] = settingRows('.claude-plugin/plugin.json', RULES)

/** Reports the keys of the manifest without effect, and the file with hooks. */
export function reportPlugin(field: FieldContext, manifest: ProjectSettings): void {
  reportSettings(manifest, RULES, { field })
  const file = field.card.project?.find(({ name }) => name === HOOKS || name.endsWith(`/${HOOKS}`))
  if (file !== undefined)
    reportSetting(
      { severity: 'warning', at: ['hooks'], settings: file, reason: HOOKS_REASON },
      field.rewriter,
    )
}

/** Replaces the variables of Claude Code in all texts of a definition. */
export function withVariables(value: Json, variables: Readonly<Record<string, string>>): Json {
  if (typeof value === 'string')
    return value
      .replaceAll(
        /\$\{(?<name>CLAUDE_\w+)(?::-[^}]*)?\}/gu,
        (all, name: string) => getOwn(variables, name) ?? all,
      )
      .replaceAll(USER_VALUE, (_all, name: string) => `\${CLAUDE_PLUGIN_OPTION_${name.toUpperCase()}}`)
  if (Array.isArray(value))
    return (value as readonly Json[]).map((member) => withVariables(member, variables))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, withVariables(member, variables)]),
  )
}

/** A value that Claude Code asks the user for. */
const USER_VALUE = /\$\{user_config\.(?<name>\w+)\}/gu

/** Reads a JSON file below a folder; empty if that fails, because a problem is reported with the manifest. */
function readObject(file: string, folder: string, readText: ProductFiles['readText']): JsonObject {
  try {
    return mappingOf(JSON.parse(readText?.(file, folder) ?? '{}') as Json)
  } catch {
    return {}
  }
}

function isBelow(path: string, folder: string): boolean {
  const steps = posix.relative(folder, path)
  return steps !== '..' && !steps.startsWith('../')
}
