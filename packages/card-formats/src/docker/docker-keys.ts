import type { Json } from '@troupe/schema'
import type { FieldRow } from '@troupe/cards/formats'
import { drop, dropWithWarning, translated } from '../rules/field-rule.ts'
import { nestedRows, type NestedKeys } from '../rules/nested-keys.ts'

const NOT_SENT = 'Troupe does not send this setting'
const LOST = 'it belongs to a toolset that causes a warning'
const OF_CATALOGUE = 'it configures servers of the Docker catalogue, which are an error'

/** Why toolsets with `ref: docker:…` are errors. */
export const CATALOGUE_REASON = 'catalogue servers run in containers of Docker, which Troupe does not start'
/** Why toolsets of type `rag` are errors. */
export const SEARCH_REASON = 'Troupe has no document search (RAG)'

function isOff(value: Json): boolean {
  return value === false || value === 0 || (Array.isArray(value) && value.length === 0)
}

const inServers = (reason?: string): NestedKeys[string] => translated('mcpServers', reason)

/** Keys of a toolset, also in `mcps` and `toolsets` of the file. */
export const TOOLSET_KEYS: NestedKeys = {
  type: translated('mcpServers, runtimeTools, tools', 'a type that Troupe does not have causes a warning'),
  name: inServers(),
  command: inServers(),
  args: inServers(),
  env: inServers(),
  working_dir: inServers('it is `cwd`'),
  remote: inServers('`oauth` becomes `auth`'),
  ref: inServers('the name of a server in `mcps`; `docker:NAME` is an error'),
  lifecycle: inServers(
    '`startup_timeout` and `call_timeout`; the next call restarts a server that has ended',
  ),
  tools: translated('tools'),
  readonly: translated('tools', 'each call of an MCP tool needs approval'),
  instruction: translated('instruction', 'it is appended to the prompt'),
  allow_list: translated('permissions.deny', 'all other folders are denied; folders outside are never read'),
  deny_list: translated('permissions.deny', 'folders below the working folder; others are never read'),
  allowed_domains: translated('permissions.deny', 'all other domains are denied'),
  blocked_domains: translated('permissions.deny'),
  path: translated('memory', 'the folder of the notes is named after the file'),
  model: dropWithWarning('an agent uses its own model after each call'),
  headers: dropWithWarning('`web.fetch` sends no headers of its own'),
  post_edit: { ...dropWithWarning('no command is run after an edit'), isHarmless: isOff },
  shared: { ...dropWithWarning('each run has a to-do list of its own'), isHarmless: isOff },
  allow_private_ips: {
    ...dropWithWarning('`web.fetch` only reaches public addresses, and servers any address'),
    isHarmless: isOff,
  },
  sudo_askpass: { ...dropWithWarning('commands never ask for a password'), isHarmless: isOff },
  url: drop(LOST),
  shell: drop(LOST),
  api_config: drop(LOST),
  webhook_config: drop(LOST),
  rag_config: { status: 'ignored', problem: 'error', reason: SEARCH_REASON },
  config: drop(OF_CATALOGUE),
  allowed_servers: drop(OF_CATALOGUE),
  blocked_servers: drop(OF_CATALOGUE),
  recall: drop('a command has always ended when its result is returned'),
  ignore_vcs: drop('ignored files can be read there, too, if they are named'),
  timeout: drop('see `limits.toolTimeout`'),
  version: drop('server programs are not installed automatically'),
  defer: drop('all tools are always available'),
  toon: drop('results are not changed'),
  safer: drop('docker-agent ignores it, too'),
  file_types: drop('it belongs to the editor'),
  models: drop('each agent sets its own model'),
}

/** Keys of an entry of `models`. */
export const MODEL_KEYS: NestedKeys = {
  provider: translated('model'),
  model: translated('model'),
  first_available: translated('model', 'models in order of fallback'),
  temperature: translated('temperature'),
  top_p: translated('topP'),
  max_tokens: translated('maxOutputTokens'),
  thinking_budget: translated('reasoning'),
  parallel_tool_calls: translated('limits.parallelToolCalls'),
  base_url: translated('providers', 'a warning for providers with an API of their own'),
  token_key: translated('providers'),
  compaction_threshold: translated('context.threshold'),
  compaction_model: translated('context.model'),
  routing: dropWithWarning('the model is not chosen by the message; the agent uses `model`'),
  frequency_penalty: { ...dropWithWarning(NOT_SENT), isHarmless: isOff },
  presence_penalty: { ...dropWithWarning(NOT_SENT), isHarmless: isOff },
  provider_opts: dropWithWarning(NOT_SENT),
  task_budget: dropWithWarning('see `limits.maxTokens`'),
  auth: dropWithWarning('Troupe sends an API key'),
  cost: dropWithWarning('set `prices` of the provider in troupe.json'),
  capabilities: drop('attachments are sent as they are'),
  bypass_models_gateway: drop('Troupe uses no models gateway'),
  track_usage: drop('usage is always recorded'),
  title_model: drop('runs have no titles'),
  description: drop('it is catalogue metadata'),
}

/** Keys of an entry of `providers`. */
export const PROVIDER_KEYS: NestedKeys = {
  ...Object.fromEntries(
    [
      'provider',
      'base_url',
      'token_key',
      'temperature',
      'max_tokens',
      'top_p',
      'parallel_tool_calls',
      'thinking_budget',
      'compaction_model',
      'frequency_penalty',
      'presence_penalty',
      'provider_opts',
      'task_budget',
      'auth',
      'track_usage',
    ].map((key) => [key, MODEL_KEYS[key] ?? drop('')]),
  ),
  provider: translated('providers'),
  api_type: translated('providers'),
  headers: translated('providers'),
  unload_api: drop('models are not unloaded'),
}

/** Keys of a file next to `agents`, apart from those that agents have as well. */
const FILE_ROWS: readonly FieldRow[] = Object.entries({
  version: drop('it is the format version'),
  metadata: drop('it is catalogue metadata'),
  flavors: drop('docker-agent applies them only with `--flavor`'),
  evaluators: drop('it has no effect by itself; hooks refer to it'),
  toolsets: translated('mcpServers, runtimeTools, tools', 'for agents that name them in `use_toolsets`'),
  skills: translated('skills', 'for agents that name them in `use_skills`'),
  commands: translated('exports.tools', 'for agents that name them in `use_commands`'),
  budgets: translated('limits', 'for agents that name them'),
  rag: drop('it has no effect by itself; toolsets refer to it'),
}).map(([key, row]) => ({ ...row, key: `(file) ${key}` }))

/** Rows of the documentation for all keys that are not keys of an agent. */
export const DOCKER_ROWS: readonly FieldRow[] = [
  ...nestedRows('toolsets.*', TOOLSET_KEYS),
  ...nestedRows('models.*', MODEL_KEYS),
  ...nestedRows('providers.*', PROVIDER_KEYS),
  ...FILE_ROWS,
]
