import { posix } from 'node:path'
import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { textList, type FieldContext, type ProductFiles, type ProjectSettings } from '@troupe/cards/formats'
import { mappingOf, textOf } from '../rules/field-rule.ts'
import { problemPlace } from '../rules/project-settings.ts'
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
      definition: withRoot(definition, root),
      settings: manifest,
      folder,
    }))
}

/** Warns of the hooks of the plugin, which are not run. */
export function warnOfPluginHooks(field: FieldContext, manifest: ProjectSettings): void {
  const file = field.card.project?.find(({ name }) => name === HOOKS || name.endsWith(`/${HOOKS}`))
  const settings = file ?? (manifest.fields['hooks'] === undefined ? undefined : manifest)
  if (settings === undefined) return
  field.rewriter.addProblem({
    severity: 'warning',
    code: 'key_without_effect',
    message: 'The hooks of the plugin have no effect: hooks are shell commands in Claude Code.',
    ...problemPlace({ at: ['hooks'], settings }),
    fix: 'Write them as `toolHooks`, and what they forbid as `permissions`.',
  })
}

/** Replaces `${CLAUDE_PLUGIN_ROOT}` by the folder of the plugin. */
function withRoot(value: Json, root: string): Json {
  if (typeof value === 'string') return value.replaceAll('${CLAUDE_PLUGIN_ROOT}', () => root)
  if (Array.isArray(value)) return (value as readonly Json[]).map((member) => withRoot(member, root))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withRoot(member, root)]))
}

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
