import { posix } from 'node:path'
import type { Json } from '@troupe/schema'
import { textList, type FieldContext, type ProjectSettings } from '@troupe/cards/formats'
import { manifestOf, pluginServers, warnOfPluginHooks } from './claude-plugin.ts'
import { putProjectServers, serversIn, type ProjectServer } from '../rules/project-servers.ts'

/** File with the servers of a project. */
export const PROJECT_SERVERS = '.mcp.json'
/** Settings that switch servers of the project off. */
const DISABLED = 'disabledMcpjsonServers'

/**
 * Adds the servers of `.mcp.json` that the agent may use: all of them, unless it has a list of tools or of
 * servers.
 */
export function putClaudeServers(field: FieldContext): void {
  const { project = [], fields } = field.card
  const disabled = new Set(project.flatMap(({ fields: settings }) => namesIn(settings[DISABLED])))
  const manifest = manifestOf(field)
  const isOfPlugin = ({ file }: ProjectSettings): boolean =>
    manifest !== undefined && posix.dirname(file) === posix.dirname(posix.dirname(manifest.file))
  const ofProject = project.filter((settings) => !isOfPlugin(settings))
  if (manifest !== undefined) warnOfPluginHooks(field, manifest)
  const servers = [
    ...ofProject.flatMap(serversOf),
    ...(manifest === undefined ? [] : pluginServers(field, manifest)),
  ].filter(({ name, settings }) => {
    if (!disabled.has(name)) return true
    const key = `${settings.label}: ${name}`
    field.rewriter.note({ key, status: 'ignored', reason: `\`${DISABLED}\` switches it off` })
    return false
  })
  putProjectServers(servers, { all: fields['mcpServers'] === undefined }, field)
}

function serversOf(settings: ProjectSettings): readonly ProjectServer[] {
  if (posix.basename(settings.name) !== PROJECT_SERVERS) return []
  return serversIn(settings, { folder: posix.dirname(settings.name) })
}

function namesIn(value: Json | undefined): readonly string[] {
  return (textList(value ?? [], []) ?? []).map(({ text }) => text)
}
