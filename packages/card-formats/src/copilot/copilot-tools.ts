import { type RawCard } from '@troupe/cards/formats'
import { mappingOf } from '../rules/field-rule.ts'
import { MISSING_TOOLS, RUNTIME_TOOLS, type ToolMapping, type ProductTools } from '../rules/tool-mapping.ts'

const EDITOR = MISSING_TOOLS.editor
const OWN_SERVER = { reason: 'it is a built-in MCP server of Copilot; define it, and add it as `name/*`' }

/** Searching the workspace shows the content of files there. */
const FIND_AND_READ = { tools: ['filesystem.list', 'filesystem.search', 'filesystem.read'] }

/** Tools and tool sets of Copilot in VS Code, on GitHub and in the terminal. */
const COPILOT_TOOLS: ReadonlyMap<string, ToolMapping> = new Map<string, ToolMapping>([
  ['*', { everything: true }],
  ['read', RUNTIME_TOOLS.read],
  ['view', RUNTIME_TOOLS.read],
  ['readfile', RUNTIME_TOOLS.read],
  ['notebookread', RUNTIME_TOOLS.readNotebook],
  ['edit', RUNTIME_TOOLS.write],
  ['editfiles', RUNTIME_TOOLS.write],
  ['multiedit', RUNTIME_TOOLS.write],
  ['write', RUNTIME_TOOLS.write],
  ['create', RUNTIME_TOOLS.write],
  ['createfile', RUNTIME_TOOLS.createFile],
  ['createdirectory', { reason: 'folders are created with the files in them' }],
  ['notebookedit', RUNTIME_TOOLS.writeNotebook],
  ['new', RUNTIME_TOOLS.write],
  ['search', FIND_AND_READ],
  ['codebase', FIND_AND_READ],
  ['searchresults', RUNTIME_TOOLS.find],
  ['textsearch', RUNTIME_TOOLS.search],
  ['grep', RUNTIME_TOOLS.search],
  ['usages', RUNTIME_TOOLS.search],
  ['glob', RUNTIME_TOOLS.list],
  ['filesearch', RUNTIME_TOOLS.list],
  ['listdirectory', RUNTIME_TOOLS.list],
  ['findtestfiles', RUNTIME_TOOLS.list],
  ['execute', RUNTIME_TOOLS.shell],
  ['shell', RUNTIME_TOOLS.shell],
  ['bash', RUNTIME_TOOLS.shell],
  ['powershell', RUNTIME_TOOLS.shell],
  ['runcommands', RUNTIME_TOOLS.shell],
  ['runtasks', RUNTIME_TOOLS.shell],
  ['runtests', { reason: 'it only runs tests; to run them with the shell, add `execute`' }],
  ['runinterminal', RUNTIME_TOOLS.shell],
  ['ask_user', RUNTIME_TOOLS.human],
  ['askquestions', RUNTIME_TOOLS.human],
  ['agent', MISSING_TOOLS.children],
  ['custom-agent', MISSING_TOOLS.children],
  ['task', MISSING_TOOLS.children],
  ['runsubagent', MISSING_TOOLS.children],
  ['web', RUNTIME_TOOLS.web],
  ['webfetch', RUNTIME_TOOLS.webFetch],
  ['websearch', RUNTIME_TOOLS.webSearch],
  ['fetch', RUNTIME_TOOLS.webFetch],
  ['githubrepo', MISSING_TOOLS.web],
  ['todo', RUNTIME_TOOLS.todo],
  ['todos', RUNTIME_TOOLS.todo],
  ['todowrite', RUNTIME_TOOLS.todoWrite],
  ['createandruntask', RUNTIME_TOOLS.shell],
  ['runtask', RUNTIME_TOOLS.shell],
  ['getnotebooksummary', RUNTIME_TOOLS.readNotebook],
  ['readnotebookcelloutput', RUNTIME_TOOLS.readNotebook],
  ['editnotebook', RUNTIME_TOOLS.writeNotebook],
  ['githubtextsearch', MISSING_TOOLS.web],
  ['awaitterminal', MISSING_TOOLS.background],
  ['killterminal', MISSING_TOOLS.background],
  ['sendtoterminal', MISSING_TOOLS.background],
  ['gettaskoutput', MISSING_TOOLS.background],
  ['terminallastcommand', MISSING_TOOLS.background],
  ['terminalselection', MISSING_TOOLS.background],
  ['getterminaloutput', MISSING_TOOLS.background],
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
const DOTTED = { reason: 'it belongs to an editor extension or MCP server' }

/** Returns the tool names of a card. A server that the card defines may be named alone. */
export function copilotProductTools({ fields }: RawCard): ProductTools {
  const servers = mappingOf(fields['mcp-servers'])
  return {
    product: 'GitHub Copilot',
    known: COPILOT_TOOLS,
    read: (name) => (Object.hasOwn(servers, name) ? { server: name } : readName(name)),
    hint: 'Write a tool of an MCP server as `server/tool`, and all of its tools as `server/*`.',
  }
}

function readName(name: string): ToolMapping | undefined {
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
