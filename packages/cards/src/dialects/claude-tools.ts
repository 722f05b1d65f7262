import type { Json } from '@troupe/schema'
import type { FieldPath } from '../fields/field-path.ts'
import { textList, type ListedText } from './text-list.ts'
import { NO_TOOL, TOOLS, wordOf, type ToolWord, type ToolWords } from './tool-words.ts'

const NO_MESSAGES = { reason: 'agents answer their caller and nobody else' }
const PUBLISHED = { reason: 'it belongs to the service of Claude Code' }

/** The tools of Claude Code. */
export const CLAUDE_TOOLS: ReadonlyMap<string, ToolWord> = new Map<string, ToolWord>([
  ['Read', TOOLS.read],
  ['NotebookRead', TOOLS.read],
  ['Write', TOOLS.write],
  ['Edit', TOOLS.write],
  ['MultiEdit', TOOLS.write],
  ['NotebookEdit', TOOLS.write],
  ['Glob', TOOLS.list],
  ['LS', TOOLS.list],
  ['Grep', TOOLS.search],
  ['Bash', TOOLS.shell],
  ['PowerShell', TOOLS.shell],
  ['Skill', TOOLS.skill],
  ['AskUserQuestion', TOOLS.human],
  ['Task', NO_TOOL.children],
  ['Agent', NO_TOOL.children],
  ['WebFetch', NO_TOOL.web],
  ['WebSearch', NO_TOOL.web],
  ['TodoWrite', NO_TOOL.todo],
  ['TodoRead', NO_TOOL.todo],
  ['TaskCreate', NO_TOOL.todo],
  ['TaskUpdate', NO_TOOL.todo],
  ['TaskList', NO_TOOL.todo],
  ['TaskGet', NO_TOOL.todo],
  ['BashOutput', NO_TOOL.background],
  ['TaskOutput', NO_TOOL.background],
  ['TaskStop', NO_TOOL.background],
  ['KillShell', NO_TOOL.background],
  ['KillBash', NO_TOOL.background],
  ['EnterPlanMode', NO_TOOL.plan],
  ['ExitPlanMode', NO_TOOL.plan],
  ['LSP', NO_TOOL.editor],
  ['SlashCommand', { reason: 'there are no commands' }],
  ['ListMcpResources', { reason: 'agents get the tools of servers, not their resources' }],
  ['ListMcpResourcesTool', { reason: 'agents get the tools of servers, not their resources' }],
  ['ReadMcpResource', { reason: 'agents get the tools of servers, not their resources' }],
  ['ReadMcpResourceTool', { reason: 'agents get the tools of servers, not their resources' }],
  ['ToolSearch', { reason: 'all tools of an agent are shown to its model' }],
  ['SendMessage', NO_MESSAGES],
  ['TeamCreate', NO_MESSAGES],
  ['TeamDelete', NO_MESSAGES],
  ['ListAgents', NO_MESSAGES],
  ['Monitor', NO_TOOL.background],
  ['CronCreate', NO_TOOL.time],
  ['CronDelete', NO_TOOL.time],
  ['CronList', NO_TOOL.time],
  ['ScheduleWakeup', NO_TOOL.time],
  ['RemoteTrigger', NO_TOOL.time],
  ['EnterWorktree', NO_TOOL.place],
  ['ExitWorktree', NO_TOOL.place],
  ['Workflow', { reason: 'agents made of other agents are cards of a `type` of their own' }],
  ['WaitForMcpServers', { reason: 'servers are ready before the agent begins' }],
  ['Artifact', PUBLISHED],
  ['PushNotification', PUBLISHED],
  ['*', { everything: true }],
])

const EVERY_SERVER = /^mcp__\*(?:__\*)?$/u
/** The server that an editor provides when Claude Code runs in it. */
const OF_EDITOR = /^mcp__ide(?:__|$)/u
const MCP = /^mcp__(?<server>.+?)(?:__(?<tool>.+))?$/u
const WITH_ARGUMENTS = /^(?<name>\w+)\((?<inside>.*)\)$/u

/** The tool names of Claude Code. */
export const CLAUDE_WORDS: ToolWords = { product: 'Claude Code', known: CLAUDE_TOOLS, read: readName }

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
  return wordOf(name, CLAUDE_WORDS) !== undefined
}

function readName(name: string): ToolWord | undefined {
  if (EVERY_SERVER.test(name)) return { tools: ['*__*'] }
  if (OF_EDITOR.test(name)) return NO_TOOL.editor
  const mcp = MCP.exec(name)?.groups
  if (mcp !== undefined) return { server: mcp['server'] ?? '', ...toolOf(mcp['tool']) }
  const call = WITH_ARGUMENTS.exec(name)?.groups
  if (call === undefined) return undefined
  const inside = call['inside'] ?? ''
  if (call['name'] === 'Agent' || call['name'] === 'Task')
    return { agents: inside.split(',').map((agent) => agent.trim()) }
  const word = CLAUDE_TOOLS.get(call['name'] ?? '')
  if (word === undefined || !('tools' in word) || /^[*:]*$/u.test(inside)) return word
  return {
    tools: word.tools,
    ask: true,
    reason: 'a person is asked for every call, also for those that it names',
  }
}

function toolOf(tool: string | undefined): { readonly tool?: string } {
  return tool === undefined ? {} : { tool }
}
