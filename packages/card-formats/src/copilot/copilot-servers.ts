import { posix } from 'node:path'
import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { FieldContext, FieldRow, ProductFolders, ProjectSettings } from '@troupe/cards/formats'
import { translated } from '../rules/field-rule.ts'
import { problemPlace, settingRows } from '../rules/project-settings.ts'
import { putProjectServers, serversIn, type ProjectServer } from '../rules/project-servers.ts'
import { LOST_SERVER_RULES, SERVER_RULES } from '../rules/server-keys.ts'

const FILE = '.vscode/mcp.json'
const ENV_FILE = 'files with variables are not passed to servers; list the variables in `env`'

/** Rows of the documentation for the servers of a workspace. */
export const COPILOT_SERVER_ROWS: readonly FieldRow[] = settingRows(FILE, {
  inputs: translated('(variables)', '`${input:github-token}` becomes `${INPUT_GITHUB_TOKEN}`'),
  ...Object.fromEntries(
    Object.entries({ ...SERVER_RULES, ...LOST_SERVER_RULES }).map(([key, rule]) => [
      `servers.N.${key}`,
      rule,
    ]),
  ),
  'servers.N.envFile': { status: 'ignored', problem: 'warning', reason: ENV_FILE },
  'servers.N.dev': { status: 'ignored', reason: 'it is for developers of the server' },
  'servers.N.gallery': { status: 'ignored', reason: 'it is catalogue metadata' },
  'servers.N.version': { status: 'ignored', reason: 'it is catalogue metadata' },
})

/** Returns the file with the servers of the workspace. */
export function copilotProjectFiles(path: string, { workspace }: ProductFolders): readonly string[] {
  const above = /^(?<above>.*?)\/?\.(?:github|copilot)\/(?:agents|chatmodes|prompts)\//u.exec(path)?.groups?.[
    'above'
  ]
  return [posix.join(above ?? workspace.replaceAll('\\', '/'), FILE)]
}

/** Adds the servers of `.vscode/mcp.json` that the agent may use: all of them, unless it has a list of tools. */
export function putWorkspaceServers(field: FieldContext): void {
  const servers = (field.card.project ?? []).flatMap((settings) => serversOf(settings, field))
  putProjectServers(servers, { all: true }, field)
}

function serversOf(settings: ProjectSettings, field: FieldContext): readonly ProjectServer[] {
  const folder = posix.join(posix.dirname(settings.name), '..')
  const root = posix.dirname(posix.dirname(settings.file.replaceAll('\\', '/')))
  return serversIn(settings, { key: 'servers', folder })
    .filter(({ name }) => field.grant.usesServer(name, true))
    .map((server) => ({ ...server, definition: withoutEnvFile(server, field) }))
    .map((server) => ({ ...server, definition: replaceVariables(server.definition, root) }))
}

/** Removes `envFile`, which has no effect. */
function withoutEnvFile({ definition, name, settings }: ProjectServer, { rewriter }: FieldContext): Json {
  if (!isJsonObject(definition) || definition['envFile'] === undefined) return definition
  const { envFile: _, ...rest } = definition
  rewriter.addProblem({
    severity: 'warning',
    code: 'key_without_effect',
    message: `\`envFile\` of the server ${name} has no effect: files with variables are not passed to servers.`,
    ...problemPlace({ at: ['servers', name, 'envFile'], settings }),
    fix: 'Name the variables in `env`, such as `"TOKEN": "${TOKEN}"`, and pass the file with `--env-file`.',
  })
  return rest
}

const INPUT = /\$\{input:(?<id>[^}]+)\}/gu

/**
 * Replaces `${workspaceFolder}` by the path of the workspace, and `${input:github-token}`, which the editor
 * asks for, by `${INPUT_GITHUB_TOKEN}`.
 */
function replaceVariables(value: Json, root: string): Json {
  if (typeof value === 'string')
    return value
      .replaceAll('${workspaceFolder}', () => root)
      .replaceAll(INPUT, (_match, id: string) => `\${INPUT_${id.toUpperCase().replaceAll(/\W/gu, '_')}}`)
  if (Array.isArray(value)) return (value as readonly Json[]).map((each) => replaceVariables(each, root))
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).map(([key, member]) => [key, replaceVariables(member, root)])
  return Object.fromEntries(entries) as JsonObject
}
