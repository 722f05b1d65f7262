import { MISSING_TOOLS, type ToolMapping } from '../rules/tool-mapping.ts'

/** Built-in toolsets of docker-agent. */
export const TOOLSETS: ReadonlyMap<string, ToolMapping> = new Map<string, ToolMapping>([
  ['filesystem', { tools: ['filesystem.read', 'filesystem.list', 'filesystem.search', 'filesystem.write'] }],
  ['file', { tools: ['filesystem.read', 'filesystem.list', 'filesystem.search', 'filesystem.write'] }],
  ['shell', { tools: ['shell.execute'] }],
  ['user_prompt', { tools: ['human.ask'] }],
  ['fetch', MISSING_TOOLS.web],
  ['api', MISSING_TOOLS.web],
  ['openapi', MISSING_TOOLS.web],
  ['todo', MISSING_TOOLS.todo],
  ['tasks', MISSING_TOOLS.todo],
  ['plan', MISSING_TOOLS.plan],
  ['session_plan', MISSING_TOOLS.plan],
  ['lsp', MISSING_TOOLS.editor],
  ['background_agents', MISSING_TOOLS.children],
  ['transfer_task', MISSING_TOOLS.children],
  ['background_jobs', MISSING_TOOLS.background],
  ['open_url', MISSING_TOOLS.web],
  ['webhook', MISSING_TOOLS.web],
  ['mcp_catalog', MISSING_TOOLS.changing],
  ['model_picker', { reason: 'each agent names its own model' }],
  ['switch_model', { reason: 'each agent names its own model' }],
  ['session_context', MISSING_TOOLS.conversations],
  ['scheduler', MISSING_TOOLS.time],
  ['commands', { reason: 'there are no commands' }],
  ['git', { reason: 'give it the shell, or an MCP server' }],
  ['think', { reason: 'models think by themselves; see `reasoning`' }],
  ['memory', MISSING_TOOLS.memory],
  ['script', { reason: 'write the scripts as `functionTools`' }],
  ['rag', { reason: 'name an MCP server that searches' }],
  ['a2a', MISSING_TOOLS.remote],
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
