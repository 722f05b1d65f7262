import { NO_TOOL, TOOLS, type ToolWord, type ToolWords } from './tool-words.ts'

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
  ['SendMessage', { reason: 'agents answer their caller and nobody else' }],
  ['*', { everything: true }],
])

const MCP = /^mcp__(?<server>.+?)(?:__(?<tool>.+))?$/u
const WITH_ARGUMENTS = /^(?<name>\w+)\((?<inside>.*)\)$/u

/** How Claude Code names tools. */
export const CLAUDE_WORDS: ToolWords = { product: 'Claude Code', known: CLAUDE_TOOLS, read: readName }

function readName(name: string): ToolWord | undefined {
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
    reason: 'arguments cannot be told apart here, so a person is asked each time',
  }
}

function toolOf(tool: string | undefined): { readonly tool?: string } {
  return tool === undefined ? {} : { tool }
}
