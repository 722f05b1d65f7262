import { posix } from 'node:path'
import { isJsonObject, mcpToolName, type Json, type JsonObject } from '@troupe/schema'
import {
  SHARED_RUNTIME_TOOLS,
  addToList,
  textList,
  type FieldContext,
  type FieldPath,
  type FieldRow,
  type ProductFolders,
  type ProjectSettings,
} from '@troupe/cards/formats'
import { mappingOf, translated } from '../rules/field-rule.ts'
import {
  lostSetting,
  reportKey,
  reportSetting,
  reportSettings,
  sameRule,
  settingRows,
  type SettingRules,
} from '../rules/project-settings.ts'
import { isServer, putProjectServers } from '../rules/project-servers.ts'
import { putArgumentRule, putRule, reportBadRule } from '../rules/put-rule.ts'
import { lookupTool, type ProductTools } from '../rules/tool-mapping.ts'

const FILE = '.gemini/settings.json'
const INTERFACE: SettingRules[string] = { status: 'ignored', reason: 'it only affects Gemini CLI itself' }

/** The keys of `.gemini/settings.json`. */
const RULES: SettingRules = {
  mcpServers: translated('mcpServers', 'of agents that may use the server'),
  ...sameRule(
    ['mcp.allowed', 'mcp.excluded', 'allowMCPServers', 'excludeMCPServers'],
    translated('mcpServers'),
  ),
  ...sameRule(['tools.exclude', 'excludeTools'], translated('permissions.deny')),
  ...sameRule(['tools.core', 'coreTools'], translated('tools', 'all other built-in tools are left out')),
  'tools.sandbox': {
    status: 'translated',
    to: 'permissions.ask',
    problem: 'warning',
    reason: 'commands run without a sandbox, so each needs approval',
  },
  ...sameRule(
    ['tools.allowed', 'allowedTools'],
    lostSetting('it would allow more than the agent file; see `permissions` in troupe.json'),
  ),
  'tools.discoveryCommand': lostSetting('the discovery command is not run'),
  'mcp.serverCommand': lostSetting('define the server in `mcpServers`'),
  model: lostSetting('set the model in the agent'),
  hooks: lostSetting('hooks are shell commands in Gemini CLI; write them as `toolHooks`'),
  'agents.overrides': lostSetting('write the values in the agent'),
  context: { status: 'ignored', reason: 'GEMINI.md files are not read' },
  ...sameRule(
    ['general', 'ui', 'ide', 'output', 'privacy', 'telemetry', 'security', 'advanced', 'experimental'],
    INTERFACE,
  ),
}

/** Rows of the documentation for `.gemini/settings.json`. */
export const GEMINI_SETTING_ROWS: readonly FieldRow[] = settingRows(FILE, RULES)

/** Settings of the administrator, on Linux and macOS. */
const SYSTEM_SETTINGS = [
  '/etc/gemini-cli/settings.json',
  '/Library/Application Support/GeminiCli/settings.json',
]
/** Names of classes that lists of tools may have, by the name of the tool. */
const CLASSES: ReadonlyMap<string, string> = new Map([
  ['ReadFileTool', 'read_file'],
  ['ReadManyFilesTool', 'read_many_files'],
  ['WriteFileTool', 'write_file'],
  ['EditTool', 'replace'],
  ['LSTool', 'list_directory'],
  ['GlobTool', 'glob'],
  ['GrepTool', 'grep_search'],
  ['ShellTool', 'run_shell_command'],
  ['WebFetchTool', 'web_fetch'],
  ['WebSearchTool', 'google_web_search'],
  ['MemoryTool', 'save_memory'],
])

/** Returns the settings of the administrator, of the user and of the project of an agent or a command. */
export function geminiProjectFiles(path: string, { home }: ProductFolders): readonly string[] {
  const root = /^(?<root>(?:.*\/)?)\.gemini\/(?:agents|commands)\//u.exec(path)?.groups?.['root']
  const folders = [
    ...(home === undefined ? [] : [`${home.replaceAll('\\', '/')}/`]),
    ...(root === undefined ? [] : [root]),
  ]
  return [...SYSTEM_SETTINGS, ...folders.map((folder) => `${folder}${FILE}`)]
}

/** Applies the restrictions of the settings and the servers of the project. */
export function putGeminiSettings(productTools: ProductTools, field: FieldContext): void {
  for (const settings of field.card.project ?? []) {
    const isOfUser = !/^(?:\.\.\/)+settings\.json$/u.test(settings.name)
    reportSettings(settings, RULES, { field, isSilent: isOfUser })
    const { tools, mcp, excludeTools, coreTools, allowMCPServers, excludeMCPServers } = settings.fields
    const { exclude = excludeTools, core = coreTools, sandbox } = mappingOf(tools)
    const { allowed = allowMCPServers, excluded = excludeMCPServers } = mappingOf(mcp)
    for (const [index, text] of listOf(exclude, 'exclude', settings, field).entries())
      denyTool(text, { at: ['tools', 'exclude', index], settings, productTools, field })
    if (core !== undefined) keepOnly(listOf(core, 'core', settings, field), { settings, productTools, field })
    if (sandbox !== undefined && sandbox !== false) putSandbox(settings, field)
    if (!isOfUser) putServers(settings, { allowed, excluded }, field)
  }
}

interface ExcludedTool {
  readonly at: FieldPath
  readonly settings: ProjectSettings
  readonly productTools: ProductTools
  readonly field: FieldContext
}

/** Denies a tool, or with `run_shell_command(rm)` the commands that begin so. */
function denyTool(text: string, { at, settings, productTools, field }: ExcludedTool): void {
  const { name = text, inside } = CALL.exec(text)?.groups ?? {}
  const tools = toolsOf(name, productTools)
  const rule = { at, settings, permission: 'deny' as const, tools }
  const key = `${reportKey({ at, settings })}: ${text}`
  if (tools.length === 0)
    return field.rewriter.note({ key, status: 'ignored', reason: 'Gemini CLI has no tool of that name' })
  if (inside === undefined) field.grant.refuse(tools, at)
  const report =
    inside === undefined ? putRule(rule, field) : putArgumentRule({ ...rule, pattern: `${inside}*` }, field)
  field.rewriter.note({ key, ...report })
}

const CALL = /^(?<name>\w+)\((?<inside>.*)\)$/u

/** Denies the built-in tools, and the commands, that a list of the only tools leaves out. */
function keepOnly(names: readonly string[], rule: CoreRule): void {
  const { productTools, field, settings } = rule
  const origin = { at: ['tools', 'core'], settings, permission: 'deny' as const }
  const calls = names.map((text) => {
    const { name = text, inside } = CALL.exec(text)?.groups ?? {}
    return { tools: toolsOf(name, productTools), command: inside === '' ? undefined : inside }
  })
  const others = SHARED_RUNTIME_TOOLS.filter((tool) => !calls.some(({ tools }) => tools.includes(tool)))
  field.grant.refuse(others, origin.at)
  putRule({ ...origin, tools: others }, field)
  const shell = calls.filter(({ tools }) => tools.includes('shell.execute'))
  const commands = shell.flatMap(({ command }) => command ?? [])
  if (commands.length === 0 || commands.length < shell.length) return
  const except = commands.flatMap((command) => [command, `${command} *`])
  putArgumentRule({ ...origin, tools: ['shell.execute'], pattern: '*', except }, field)
}

interface CoreRule {
  readonly settings: ProjectSettings
  readonly productTools: ProductTools
  readonly field: FieldContext
}

function toolsOf(name: string, productTools: ProductTools): readonly string[] {
  const word = lookupTool(CLASSES.get(name) ?? name, productTools)
  if (word === undefined) return []
  if ('tools' in word) return word.tools
  return 'server' in word ? [`${word.server}__${word.tool ?? '*'}`] : []
}

/** Asks before every command that the product would run in its sandbox. */
function putSandbox(settings: ProjectSettings, { rewriter }: FieldContext): void {
  const { reason = '' } = RULES['tools.sandbox'] ?? {}
  addToList(rewriter, { to: ['permissions', 'ask'], values: ['shell.execute'], from: ['tools'] })
  reportSetting({ severity: 'warning', at: ['tools', 'sandbox'], settings, reason }, rewriter)
}

/** Adds the servers that the settings allow, each with the tools that it includes and without those it excludes. */
function putServers(
  settings: ProjectSettings,
  { allowed, excluded }: { readonly allowed: Json | undefined; readonly excluded: Json | undefined },
  field: FieldContext,
): void {
  const servers = Object.entries(mappingOf(settings.fields['mcpServers'])).filter(
    ([name, definition]) =>
      isServer(definition) &&
      (allowed === undefined || namesIn(allowed).includes(name)) &&
      !namesIn(excluded).includes(name) &&
      field.grant.usesServer(name, true),
  )
  const folder = posix.join(posix.dirname(settings.name), '..')
  putProjectServers(
    servers.map(([name, definition]) => ({ name, definition, settings, at: ['mcpServers', name], folder })),
    { all: true },
    field,
  )
  for (const [name, definition] of servers)
    if (isJsonObject(definition)) putServerTools(name, definition, field)
}

/** Applies the lists of tools that a server has. */
export function putServerTools(
  name: string,
  { includeTools, excludeTools, trust }: JsonObject,
  field: FieldContext,
): void {
  if (trust === true) field.grant.trustServer(name)
  const included = namesIn(includeTools).map((text) => text.replace(/\(.*\)$/u, ''))
  if (included.length > 0) field.grant.limitServer(name, included)
  const excluded = namesIn(excludeTools).map((text) => mcpToolName(name, text))
  addToList(field.rewriter, { to: ['permissions', 'deny'], values: excluded, from: ['mcpServers', name] })
}

function listOf(
  value: Json | undefined,
  key: string,
  settings: ProjectSettings,
  field: FieldContext,
): readonly string[] {
  const origin = { at: ['tools', key], settings }
  if (textList(value ?? [], []) === undefined)
    reportBadRule(origin, `\`${reportKey(origin)}\` must be a list of names of tools.`, field)
  return namesIn(value)
}

function namesIn(value: Json | undefined): readonly string[] {
  return (textList(value ?? [], []) ?? []).map(({ text }) => text)
}
