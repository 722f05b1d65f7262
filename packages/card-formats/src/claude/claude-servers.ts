import { posix } from 'node:path'
import type { FieldContext, FieldRow, ProjectSettings } from '@troupe/cards/formats'
import { settingRows } from '../rules/project-settings.ts'
import { LOST_SERVER_RULES, SERVER_RULES } from '../rules/server-keys.ts'
import { disabledServers } from './claude-settings.ts'
import { PROJECT_SERVERS } from './claude-permissions.ts'
import { manifestOf, pluginServers, reportPlugin, withVariables } from './claude-plugin.ts'
import { putProjectServers, serversIn, type ProjectServer } from '../rules/project-servers.ts'

/** Rows of the documentation for the servers of a project or plugin. */
export const CLAUDE_SERVER_ROWS: readonly FieldRow[] = settingRows(
  '.mcp.json',
  Object.fromEntries([
    ...Object.entries({ ...SERVER_RULES, ...LOST_SERVER_RULES }).map(([key, rule]) => [
      `mcpServers.N.${key}`,
      rule,
    ]),
    ['mcpServers.N.alwaysLoad', { status: 'ignored', reason: 'a model always sees all tools of its agent' }],
  ]),
)

/**
 * Adds the servers of `.mcp.json` that the agent may use: all of them, unless it has a list of tools or of
 * servers.
 */
export function putClaudeServers(field: FieldContext): void {
  const { project = [], fields } = field.card
  const disabled = disabledServers(field)
  const manifest = manifestOf(field)
  const isOfPlugin = ({ file }: ProjectSettings): boolean =>
    manifest !== undefined && posix.dirname(file) === posix.dirname(posix.dirname(manifest.file))
  const ofProject = project.filter((settings) => !isOfPlugin(settings))
  if (manifest !== undefined) reportPlugin(field, manifest)
  const servers = [
    ...ofProject.flatMap(serversOf),
    ...(manifest === undefined ? [] : pluginServers(field, manifest)),
  ].filter(({ name, settings }) => {
    if (!disabled.has(name)) return true
    const key = `${settings.label}: ${name}`
    field.rewriter.note({ key, status: 'ignored', reason: 'the settings switch it off' })
    return false
  })
  putProjectServers(servers.map(withToolName), { all: fields['mcpServers'] === undefined }, field)
}

/** Names a server as in the names of its tools, with `_` for characters that those cannot contain. */
function withToolName(server: ProjectServer): ProjectServer {
  return { ...server, at: server.at ?? [server.name], name: server.name.replaceAll(/[^\w-]/gu, '_') }
}

function serversOf(settings: ProjectSettings): readonly ProjectServer[] {
  if (!PROJECT_SERVERS.includes(posix.basename(settings.name))) return []
  const root = posix.dirname(settings.file.replaceAll('\\', '/'))
  return serversIn(settings, { folder: posix.dirname(settings.name) }).map((server) => ({
    ...server,
    definition: withVariables(server.definition, { CLAUDE_PROJECT_DIR: root }),
  }))
}
