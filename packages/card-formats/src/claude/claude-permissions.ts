import {
  type FieldContext,
  type FieldReport,
  type ProductFolders,
  SHARED_RUNTIME_TOOLS,
} from '@troupe/cards/formats'
import { pluginFiles } from './claude-plugin.ts'
import { CLAUDE_TOOLS, CLAUDE_PRODUCT_TOOLS, withoutPlugin } from './claude-tools.ts'
import { problemPlace, type RuleOrigin } from '../rules/project-settings.ts'
import { putArgumentRule, putRule, putUnclearRule, type TranslatedRule } from '../rules/put-rule.ts'
import { putDomainRule } from '../rules/put-domains.ts'
import { fitsPattern, lookupTool, type ToolMapping } from '../rules/tool-mapping.ts'

/** Files with the servers of a project, in order of precedence, lowest first. */
export const PROJECT_SERVERS: readonly string[] = ['claude_desktop_config.json', '.mcp.json']
/** A permission that restricts. */
type Restriction = 'ask' | 'deny'

const CALL = /^(?<name>[\w*-]+)\((?<inside>[^]*)$/u
/** Other tools that read the same files. A rule for the tool applies to them too. */
const ALSO_READS: ReadonlyMap<string, readonly string[]> = new Map([
  ['filesystem.read', ['filesystem.search']],
])

function withReaders(tools: readonly string[]): readonly string[] {
  return [...tools, ...tools.flatMap((tool) => ALSO_READS.get(tool) ?? [])]
}

/** Settings of the administrator, on Linux and macOS. */
const MANAGED_SETTINGS = [
  '/etc/claude-code/managed-settings.json',
  '/Library/Application Support/ClaudeCode/managed-settings.json',
]

/**
 * Returns the project files that apply to an agent in `.claude` or in a plugin: the servers of the project, and the
 * settings of the administrator, the user and the project.
 */
export function claudeProjectFiles(
  path: string,
  { workspace, home, listFiles }: ProductFolders,
): readonly string[] {
  const own = /^(?:.*\/)?\.claude\/(?=(?:agents|commands)\/)/u.exec(path)?.[0]
  const plugin = own === undefined ? pluginFiles(path, { listFiles }) : []
  if (own === undefined && plugin.length === 0) return []
  const folder = own ?? `${workspace.replaceAll('\\', '/')}/.claude/`
  return [
    ...plugin,
    ...MANAGED_SETTINGS,
    ...PROJECT_SERVERS.map((file) => `${folder.slice(0, -'.claude/'.length)}${file}`),
    ...(home === undefined ? [] : [`${home.replaceAll('\\', '/')}/.claude/settings.json`]),
    `${folder}settings.json`,
    `${folder}settings.local.json`,
  ]
}

/** Adds a rule in Claude Code's notation: `Bash`, `Bash(rm *)`, `Read(./secrets/**)`, `mcp__server__tool`. */
export function putRestriction(
  text: string,
  permission: Restriction,
  origin: RuleOrigin,
  field: FieldContext,
): Omit<FieldReport, 'key'> {
  const { name = text, inside } = CALL.exec(text.trim())?.groups ?? {}
  const agents = agentTools(name, inside)
  if (agents !== undefined) return putRule({ ...origin, permission, tools: agents }, field)
  const word = findTool(name)
  const tools = word === undefined ? toolsOfPattern(name) : toolsOf(word)
  if (tools.length === 0) {
    if (word === undefined) warnOfUnknownTool(text, origin, field)
    return { status: 'ignored', reason: reasonOf(word) }
  }
  // `disallowedTools: Read` removes just that tool from the agent.
  const isToolName = inside === undefined && origin.settings === undefined
  const rule: TranslatedRule = { ...origin, permission, tools: isToolName ? tools : withReaders(tools) }
  const limit = word !== undefined && 'limit' in word ? word.limit : undefined
  if (limit?.pattern !== undefined && inside === undefined)
    return putArgumentRule(
      { ...origin, permission, tools, argument: limit.argument, pattern: limit.pattern },
      field,
    )
  if (inside === undefined || /^[*:]*\)$/u.test(inside)) return putWhole(rule, field)
  if (!inside.endsWith(')')) return putUnclearRule(rule, `\`${text}\` has no closing parenthesis`, field)
  const domain = /^domain:(?<name>.+)\)$/u.exec(inside)?.groups?.['name']
  if (domain !== undefined && tools.includes('web.fetch')) return putDomainRule({ ...rule, domain }, field)
  const pattern = inside.slice(0, -1).trim().replace(/:\*$/u, ' *')
  return putArgumentRule({ ...rule, pattern }, field)
}

/**
 * Adds a rule for all calls. Denied tools are not offered to the agent. Built-in tools denied by the card
 * itself are only left out, so that the denial does not extend to the agents it calls.
 */
function putWhole(rule: TranslatedRule, field: FieldContext): Omit<FieldReport, 'key'> {
  const { tools, permission, at, settings } = rule
  if (permission === 'deny') field.grant.refuse(tools, at)
  const isOwn =
    settings === undefined && tools.every((tool) => SHARED_RUNTIME_TOOLS.some((name) => name === tool))
  return permission === 'deny' && isOwn
    ? { status: 'translated', to: `removed from tools: ${tools.join(', ')}` }
    : putRule(rule, field)
}

function reasonOf(word: ToolMapping | undefined): string {
  return word !== undefined && 'reason' in word && word.reason !== undefined
    ? word.reason
    : 'Claude Code has no tool of that name'
}

function agentTools(name: string, inside: string | undefined): readonly string[] | undefined {
  if (!/^(?:agent|task)$/iu.test(name)) return undefined
  const agent = withoutPlugin(inside?.replace(/\)$/u, '') ?? '*')
  return [`agent__${agent === '' ? '*' : agent}`]
}

/** Looks up a tool. Restrictions ignore case. */
function findTool(name: string): ToolMapping | undefined {
  const known = [...CLAUDE_TOOLS.keys()].find((tool) => tool.toLowerCase() === name.toLowerCase())
  return lookupTool(known ?? name, CLAUDE_PRODUCT_TOOLS)
}

/** Returns the tools that a name with wildcards matches, such as `Web*`. */
function toolsOfPattern(name: string): readonly string[] {
  if (!name.includes('*')) return []
  const pattern = name.toLowerCase()
  const matching = [...CLAUDE_TOOLS].filter(
    ([tool, word]) => !('limit' in word) && fitsPattern(tool.toLowerCase(), pattern),
  )
  return [...new Set(matching.flatMap(([, word]) => toolsOf(word)))]
}

function warnOfUnknownTool(text: string, origin: RuleOrigin, { rewriter }: FieldContext): void {
  rewriter.addProblem({
    severity: 'warning',
    code: 'tool_unknown',
    message: `The rule \`${text}\` has no effect: Claude Code has no tool of that name.`,
    ...problemPlace(origin),
  })
}

function toolsOf(word: ToolMapping): readonly string[] {
  if ('tools' in word) return word.tools
  if ('everything' in word) return ['*']
  return 'server' in word ? [`${word.server}__${word.tool ?? '*'}`] : []
}
