import type { Json } from '@troupe/schema'
import { type FieldPath, type ListedText, textList } from '@troupe/cards/formats'
import {
  MISSING_TOOLS,
  RUNTIME_TOOLS,
  lookupTool,
  type ToolMapping,
  type ProductTools,
} from '../rules/tool-mapping.ts'

const NO_MESSAGES = { reason: 'agents answer only their caller' }
const PUBLISHED = { reason: 'it belongs to the Claude Code service' }

/** The tools of Claude Code. */
export const CLAUDE_TOOLS: ReadonlyMap<string, ToolMapping> = new Map<string, ToolMapping>([
  ['Read', RUNTIME_TOOLS.read],
  ['NotebookRead', RUNTIME_TOOLS.readNotebook],
  ['Write', RUNTIME_TOOLS.write],
  ['Edit', RUNTIME_TOOLS.write],
  ['MultiEdit', RUNTIME_TOOLS.write],
  ['NotebookEdit', RUNTIME_TOOLS.writeNotebook],
  ['Glob', RUNTIME_TOOLS.list],
  ['LS', RUNTIME_TOOLS.list],
  ['Grep', RUNTIME_TOOLS.search],
  ['Bash', RUNTIME_TOOLS.shell],
  ['PowerShell', RUNTIME_TOOLS.shell],
  ['Skill', RUNTIME_TOOLS.skill],
  ['AskUserQuestion', RUNTIME_TOOLS.human],
  ['Task', MISSING_TOOLS.children],
  ['Agent', MISSING_TOOLS.children],
  ['WebFetch', RUNTIME_TOOLS.webFetch],
  ['WebSearch', RUNTIME_TOOLS.webSearch],
  ['TodoWrite', RUNTIME_TOOLS.todoWrite],
  ['TodoRead', RUNTIME_TOOLS.todoRead],
  ['TaskCreate', RUNTIME_TOOLS.todoWrite],
  ['TaskUpdate', RUNTIME_TOOLS.todoWrite],
  ['TaskList', RUNTIME_TOOLS.todoRead],
  ['TaskGet', RUNTIME_TOOLS.todoRead],
  ['BashOutput', MISSING_TOOLS.background],
  ['TaskOutput', MISSING_TOOLS.background],
  ['TaskStop', MISSING_TOOLS.background],
  ['KillShell', MISSING_TOOLS.background],
  ['KillBash', MISSING_TOOLS.background],
  ['EnterPlanMode', MISSING_TOOLS.plan],
  ['ExitPlanMode', MISSING_TOOLS.plan],
  ['LSP', MISSING_TOOLS.editor],
  ['SlashCommand', { reason: 'Troupe has no commands' }],
  ['ListMcpResources', { reason: 'agents can use the tools of servers, not their resources' }],
  ['ListMcpResourcesTool', { reason: 'agents can use the tools of servers, not their resources' }],
  ['ReadMcpResource', { reason: 'agents can use the tools of servers, not their resources' }],
  ['ReadMcpResourceTool', { reason: 'agents can use the tools of servers, not their resources' }],
  ['ToolSearch', { reason: 'a model always sees all tools of its agent' }],
  ['SendMessage', NO_MESSAGES],
  ['TeamCreate', NO_MESSAGES],
  ['TeamDelete', NO_MESSAGES],
  ['ListAgents', NO_MESSAGES],
  ['Monitor', MISSING_TOOLS.background],
  ['CronCreate', MISSING_TOOLS.time],
  ['CronDelete', MISSING_TOOLS.time],
  ['CronList', MISSING_TOOLS.time],
  ['ScheduleWakeup', MISSING_TOOLS.time],
  ['RemoteTrigger', MISSING_TOOLS.time],
  ['EnterWorktree', MISSING_TOOLS.place],
  ['ExitWorktree', MISSING_TOOLS.place],
  ['Workflow', { reason: 'composed agents are cards with a `type`' }],
  ['WaitForMcpServers', { reason: 'servers are connected before the agent starts' }],
  ['Artifact', PUBLISHED],
  ['PushNotification', PUBLISHED],
  ['*', { everything: true }],
])

/** All tools, or the named tools, of every server. */
const EVERY_SERVER = /^mcp__\*(?:__(?<tool>.+))?$/u
/** The server that an editor provides when Claude Code runs in it. */
const EDITOR_SERVER = /^mcp__ide(?:__|$)/u
const MCP = /^mcp__(?<server>.+?)(?:__(?<tool>.+))?$/u
const WITH_ARGUMENTS = /^(?<name>\w+)\((?<inside>.*)\)$/u

/** The tool names of Claude Code. */
export const CLAUDE_PRODUCT_TOOLS: ProductTools = {
  product: 'Claude Code',
  known: CLAUDE_TOOLS,
  read: readName,
}

/**
 * Splits a list of tools as Claude Code does: at blanks as well as commas. Text that does not consist of tool
 * names is not split at blanks.
 */
export function claudeToolList(value: Json, at: FieldPath): readonly ListedText[] | undefined {
  return textList(value, at)?.flatMap(({ text, at }) => {
    const names = text.split(/\s+(?![^()]*\))/u)
    return names.length > 1 && names.every(isTool)
      ? names.map((name) => ({ text: name, at }))
      : [{ text, at }]
  })
}

function isTool(name: string): boolean {
  return lookupTool(name, CLAUDE_PRODUCT_TOOLS) !== undefined
}

function readName(name: string): ToolMapping | undefined {
  const every = EVERY_SERVER.exec(name)?.groups
  if (every !== undefined) return { tools: [`*__${every['tool'] ?? '*'}`] }
  if (EDITOR_SERVER.test(name)) return MISSING_TOOLS.editor
  const mcp = MCP.exec(name)?.groups
  if (mcp !== undefined) return { server: mcp['server'] ?? '', ...toolOf(mcp['tool']) }
  const call = WITH_ARGUMENTS.exec(name)?.groups
  if (call === undefined) return undefined
  const inside = call['inside'] ?? ''
  if (call['name'] === 'Agent' || call['name'] === 'Task')
    return { agents: inside.split(',').map(withoutPlugin) }
  const word = CLAUDE_TOOLS.get(call['name'] ?? '')
  if (word === undefined || !('tools' in word) || /^[*:]*$/u.test(inside)) return word
  return {
    tools: word.tools,
    ask: true,
    reason: 'every call needs approval, even those that the rule names',
  }
}

/** Returns the name of an agent without that of its plugin, as in `plugin:name`. */
export function withoutPlugin(name: string): string {
  return name.slice(name.lastIndexOf(':') + 1).trim()
}

function toolOf(tool: string | undefined): { readonly tool?: string } {
  return tool === undefined ? {} : { tool }
}
