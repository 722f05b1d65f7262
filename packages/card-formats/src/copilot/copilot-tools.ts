import { closest } from '@troupe/schema/text'
import { type RawCard } from '@troupe/cards/formats'
import { mappingOf } from '../rules/field-rule.ts'
import { MISSING_TOOLS, RUNTIME_TOOLS, type ToolMapping, type ProductTools } from '../rules/tool-mapping.ts'

const EDITOR = MISSING_TOOLS.editor
const OWN_SERVER = { reason: 'it is a built-in MCP server of Copilot; define it, and add it as `name/*`' }

/** Tools and tool sets of Copilot in VS Code, on GitHub and in the terminal. */
const TOOLS_AS_WRITTEN: ReadonlyMap<string, ToolMapping> = new Map<string, ToolMapping>([
  ['*', { everything: true }],
  ['read', RUNTIME_TOOLS.read],
  ['view', RUNTIME_TOOLS.read],
  ['readFile', RUNTIME_TOOLS.read],
  ['NotebookRead', RUNTIME_TOOLS.readNotebook],
  ['edit', RUNTIME_TOOLS.write],
  ['editFiles', RUNTIME_TOOLS.write],
  ['MultiEdit', RUNTIME_TOOLS.write],
  ['write', RUNTIME_TOOLS.write],
  ['create', RUNTIME_TOOLS.write],
  ['createFile', RUNTIME_TOOLS.createFile],
  ['createDirectory', { reason: 'folders are created with the files in them' }],
  ['NotebookEdit', RUNTIME_TOOLS.writeNotebook],
  ['new', RUNTIME_TOOLS.write],
  ['search', RUNTIME_TOOLS.find],
  ['codebase', RUNTIME_TOOLS.find],
  ['searchResults', RUNTIME_TOOLS.find],
  ['textSearch', RUNTIME_TOOLS.search],
  ['grep', RUNTIME_TOOLS.search],
  ['usages', RUNTIME_TOOLS.search],
  ['glob', RUNTIME_TOOLS.list],
  ['fileSearch', RUNTIME_TOOLS.list],
  ['listDirectory', RUNTIME_TOOLS.list],
  ['findTestFiles', RUNTIME_TOOLS.list],
  ['execute', RUNTIME_TOOLS.shell],
  ['shell', RUNTIME_TOOLS.shell],
  ['bash', RUNTIME_TOOLS.shell],
  ['powershell', RUNTIME_TOOLS.shell],
  ['runCommands', RUNTIME_TOOLS.shell],
  ['runTasks', RUNTIME_TOOLS.shell],
  ['runTests', { reason: 'it only runs tests; to run them with the shell, add `execute`' }],
  ['runInTerminal', RUNTIME_TOOLS.shell],
  ['ask_user', RUNTIME_TOOLS.human],
  ['askQuestions', RUNTIME_TOOLS.human],
  ['agent', MISSING_TOOLS.children],
  ['custom-agent', MISSING_TOOLS.children],
  ['task', MISSING_TOOLS.children],
  ['runSubagent', MISSING_TOOLS.children],
  ['web', RUNTIME_TOOLS.web],
  ['WebFetch', RUNTIME_TOOLS.webFetch],
  ['WebSearch', RUNTIME_TOOLS.webSearch],
  ['fetch', RUNTIME_TOOLS.webFetch],
  ['githubRepo', MISSING_TOOLS.web],
  ['todo', RUNTIME_TOOLS.todo],
  ['todos', RUNTIME_TOOLS.todo],
  ['TodoWrite', RUNTIME_TOOLS.todoWrite],
  ['createAndRunTask', RUNTIME_TOOLS.shell],
  ['runTask', RUNTIME_TOOLS.shell],
  ['getNotebookSummary', RUNTIME_TOOLS.readNotebook],
  ['readNotebookCellOutput', RUNTIME_TOOLS.readNotebook],
  ['editNotebook', RUNTIME_TOOLS.writeNotebook],
  ['createJupyterNotebook', { reason: 'it only creates notebooks; to write them, add `editNotebook`' }],
  ['viewImage', { reason: 'files are read as text' }],
  ['rename', EDITOR],
  ['searchSubagent', MISSING_TOOLS.children],
  ['githubTextSearch', MISSING_TOOLS.web],
  ['awaitTerminal', MISSING_TOOLS.background],
  ['killTerminal', MISSING_TOOLS.background],
  ['sendToTerminal', MISSING_TOOLS.background],
  ['getTaskOutput', MISSING_TOOLS.background],
  ['terminalLastCommand', MISSING_TOOLS.background],
  ['terminalSelection', MISSING_TOOLS.background],
  ['getTerminalOutput', MISSING_TOOLS.background],
  ['problems', EDITOR],
  ['changes', EDITOR],
  ['testFailure', EDITOR],
  ['extensions', EDITOR],
  ['vscodeAPI', EDITOR],
  ['vscode', EDITOR],
  ['openSimpleBrowser', EDITOR],
  ['runNotebooks', EDITOR],
  ['runNotebookCell', EDITOR],
  ['runCell', EDITOR],
  ['newWorkspace', EDITOR],
  ['browser', EDITOR],
  ['github', OWN_SERVER],
  ['playwright', OWN_SERVER],
  ['selection', EDITOR],
  ['activePullRequest', EDITOR],
  ['copilotCodingAgent', EDITOR],
])

/** The same by name in lower case, since Copilot ignores case. */
const COPILOT_TOOLS: ReadonlyMap<string, ToolMapping> = new Map(
  [...TOOLS_AS_WRITTEN].map(([name, tool]) => [name.toLowerCase(), tool]),
)

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
const DOTTED = { reason: 'it belongs to an editor extension or MCP server' }

/** Returns the tool names of a card. A server that the card defines may be named alone. */
export function copilotProductTools({ fields }: RawCard): ProductTools {
  const servers = mappingOf(fields['mcp-servers'])
  return {
    product: 'GitHub Copilot',
    known: COPILOT_TOOLS,
    read: (name) => (Object.hasOwn(servers, name) ? { server: name } : readName(name)),
    suggest: suggestTool,
    hint: 'Write a tool of an MCP server as `server/tool`, and all of its tools as `server/*`.',
  }
}

/**
 * Returns the tool that a misspelt name most likely means. Names with separators are usually those of MCP
 * tools, which have no similar tool in Copilot.
 */
function suggestTool(name: string): string | undefined {
  const names = [...TOOLS_AS_WRITTEN.keys()]
  const plain = name.replaceAll(/[-_]/gu, '').toLowerCase()
  return /[-_]/u.test(name) ? names.find((each) => each.toLowerCase() === plain) : closest(name, names)
}

function readName(name: string): ToolMapping | undefined {
  const parts = name.split('/')
  const tool = parts.at(-1) ?? ''
  if (parts.length === 1) return name.includes('.') ? DOTTED : undefined
  const owner = parts.at(-2) ?? ''
  if (parts.length === 2 && SETS.has(owner.toLowerCase())) return readToolOfSet(owner, tool)
  // Editor extensions are named `publisher.extension`.
  return owner.includes('.') ? EDITOR : { server: owner, tool }
}

function readToolOfSet(owner: string, tool: string): ToolMapping | undefined {
  const set = COPILOT_TOOLS.get(owner.toLowerCase())
  if (tool === '*') return set
  const found = COPILOT_TOOLS.get(tool.toLowerCase())
  // A tool that is not known here never grants its whole set.
  return found ?? (set !== undefined && 'reason' in set && !('tools' in set) ? set : undefined)
}

/** Returns true if the text could be a tool name of Copilot. */
export function isCopilotTool(text: string): boolean {
  return COPILOT_TOOLS.has(text.toLowerCase()) || /[./]/u.test(text)
}
