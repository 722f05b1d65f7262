import type { DialectInput } from './dialect.ts'
import { mappingOf } from './json-shapes.ts'
import { NO_TOOL, TOOLS, type ToolWord, type ToolWords } from './tool-words.ts'

const EDITOR = NO_TOOL.editor
const OWN_SERVER = { reason: 'it is an MCP server that Copilot brings; define it, and name it with `/*`' }

/** Tools and tool sets of Copilot in VS Code, on GitHub and in the terminal. */
const COPILOT_TOOLS: ReadonlyMap<string, ToolWord> = new Map<string, ToolWord>([
  ['*', { everything: true }],
  ['read', TOOLS.read],
  ['view', TOOLS.read],
  ['readfile', TOOLS.read],
  ['notebookread', TOOLS.read],
  ['edit', TOOLS.write],
  ['editfiles', TOOLS.write],
  ['multiedit', TOOLS.write],
  ['write', TOOLS.write],
  ['create', TOOLS.write],
  ['createfile', TOOLS.write],
  ['createdirectory', TOOLS.write],
  ['notebookedit', TOOLS.write],
  ['new', TOOLS.write],
  ['search', TOOLS.find],
  ['codebase', TOOLS.find],
  ['searchresults', TOOLS.find],
  ['textsearch', TOOLS.search],
  ['grep', TOOLS.search],
  ['usages', TOOLS.search],
  ['glob', TOOLS.list],
  ['filesearch', TOOLS.list],
  ['listdirectory', TOOLS.list],
  ['findtestfiles', TOOLS.list],
  ['execute', TOOLS.shell],
  ['shell', TOOLS.shell],
  ['bash', TOOLS.shell],
  ['powershell', TOOLS.shell],
  ['runcommands', TOOLS.shell],
  ['runtasks', TOOLS.shell],
  ['runtests', TOOLS.shell],
  ['runinterminal', TOOLS.shell],
  ['ask_user', TOOLS.human],
  ['askquestions', TOOLS.human],
  ['agent', NO_TOOL.children],
  ['custom-agent', NO_TOOL.children],
  ['task', NO_TOOL.children],
  ['runsubagent', NO_TOOL.children],
  ['web', NO_TOOL.web],
  ['webfetch', NO_TOOL.web],
  ['websearch', NO_TOOL.web],
  ['fetch', NO_TOOL.web],
  ['githubrepo', NO_TOOL.web],
  ['todo', NO_TOOL.todo],
  ['todos', NO_TOOL.todo],
  ['todowrite', NO_TOOL.todo],
  ['createandruntask', TOOLS.shell],
  ['runtask', TOOLS.shell],
  ['getnotebooksummary', TOOLS.read],
  ['readnotebookcelloutput', TOOLS.read],
  ['editnotebook', TOOLS.write],
  ['githubtextsearch', NO_TOOL.web],
  ['awaitterminal', NO_TOOL.background],
  ['killterminal', NO_TOOL.background],
  ['sendtoterminal', NO_TOOL.background],
  ['gettaskoutput', NO_TOOL.background],
  ['terminallastcommand', NO_TOOL.background],
  ['terminalselection', NO_TOOL.background],
  ['getterminaloutput', NO_TOOL.background],
  ['problems', EDITOR],
  ['changes', EDITOR],
  ['testfailure', EDITOR],
  ['extensions', EDITOR],
  ['vscodeapi', EDITOR],
  ['vscode', EDITOR],
  ['opensimplebrowser', EDITOR],
  ['runnotebooks', EDITOR],
  ['runnotebookcell', EDITOR],
  ['runcell', EDITOR],
  ['newworkspace', EDITOR],
  ['browser', EDITOR],
  ['github', OWN_SERVER],
  ['playwright', OWN_SERVER],
  ['selection', EDITOR],
  ['activepullrequest', EDITOR],
  ['copilotcodingagent', EDITOR],
])

/**
 * Tool sets that may stand before a slash, including obsolete ones. Any other word before a slash is an MCP
 * server.
 */
const SETS: ReadonlySet<string> = new Set([
  'read',
  'edit',
  'search',
  'execute',
  'web',
  'agent',
  'todo',
  'todos',
  'vscode',
  'new',
  'browser',
  'runcommands',
  'runtasks',
  'runnotebooks',
])
const DOTTED = { reason: 'it belongs to an extension or a server of the editor' }

/** Returns the tool names of a card. A server that the card defines may be named alone. */
export function copilotWords({ fields }: DialectInput): ToolWords {
  const servers = mappingOf(fields['mcp-servers'])
  return {
    product: 'GitHub Copilot',
    known: COPILOT_TOOLS,
    read: (name) => (Object.hasOwn(servers, name) ? { server: name } : readName(name)),
    hint: 'A tool of an MCP server is written `server/tool`, all of them `server/*`.',
  }
}

function readName(name: string): ToolWord | undefined {
  const parts = name.split('/')
  const tool = parts.at(-1) ?? ''
  if (parts.length === 1) return name.includes('.') ? DOTTED : undefined
  const owner = parts.at(-2) ?? ''
  if (parts.length === 2 && SETS.has(owner.toLowerCase()))
    return COPILOT_TOOLS.get(tool.toLowerCase()) ?? COPILOT_TOOLS.get(owner.toLowerCase())
  // Editor extensions are named `publisher.extension`.
  return owner.includes('.') ? EDITOR : { server: owner, tool }
}

/** Returns true if the text could be a tool name of Copilot. */
export function isCopilotTool(text: string): boolean {
  return COPILOT_TOOLS.has(text.toLowerCase()) || readName(text) !== undefined
}
