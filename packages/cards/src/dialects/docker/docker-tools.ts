import { NO_TOOL, type ToolWord } from '../tool-words.ts'

/** Built-in toolsets of docker-agent. */
export const TOOLSETS: ReadonlyMap<string, ToolWord> = new Map<string, ToolWord>([
  ['filesystem', { tools: ['filesystem.read', 'filesystem.list', 'filesystem.search', 'filesystem.write'] }],
  ['file', { tools: ['filesystem.read', 'filesystem.list', 'filesystem.search', 'filesystem.write'] }],
  ['shell', { tools: ['shell.execute'] }],
  ['user_prompt', { tools: ['human.ask'] }],
  ['fetch', NO_TOOL.web],
  ['api', NO_TOOL.web],
  ['openapi', NO_TOOL.web],
  ['todo', NO_TOOL.todo],
  ['tasks', NO_TOOL.todo],
  ['plan', NO_TOOL.plan],
  ['session_plan', NO_TOOL.plan],
  ['lsp', NO_TOOL.editor],
  ['background_agents', NO_TOOL.children],
  ['transfer_task', NO_TOOL.children],
  ['background_jobs', NO_TOOL.background],
  ['open_url', NO_TOOL.web],
  ['webhook', NO_TOOL.web],
  ['mcp_catalog', NO_TOOL.changing],
  ['model_picker', { reason: 'each agent names its own model' }],
  ['switch_model', { reason: 'each agent names its own model' }],
  ['session_context', NO_TOOL.conversations],
  ['scheduler', NO_TOOL.time],
  ['commands', { reason: 'there are no commands' }],
  ['git', { reason: 'give it the shell, or an MCP server' }],
  ['think', { reason: 'models think by themselves; see `reasoning`' }],
  ['memory', NO_TOOL.memory],
  ['script', { reason: 'write the scripts as `functionTools`' }],
  ['rag', { reason: 'name an MCP server that searches' }],
  ['a2a', NO_TOOL.remote],
])
/** Tools of docker-agent's file system and shell toolsets. */
export const FILE_TOOLS: ReadonlyMap<string, string> = new Map([
  ['read_file', 'filesystem.read'],
  ['read_multiple_files', 'filesystem.read'],
  ['write_file', 'filesystem.write'],
  ['edit_file', 'filesystem.write'],
  ['create_directory', 'filesystem.write'],
  ['remove_directory', 'filesystem.write'],
  ['list_directory', 'filesystem.list'],
  ['directory_tree', 'filesystem.list'],
  ['search_files_content', 'filesystem.search'],
  ['search_files', 'filesystem.search'],
  ['shell', 'shell.execute'],
])
/** Canonical names of tools that change nothing. */
export const READING: ReadonlySet<string> = new Set([
  'filesystem.read',
  'filesystem.list',
  'filesystem.search',
  'human.ask',
])
