import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { ALL_FORMATS, parseCard, type ParsedCard } from './cards.ts'

/** The outcome of a key: it applies, possibly under another name; it changes nothing; a warning; an error. */
type Effect = 'applies' | 'changes nothing' | 'warning' | 'error'

const SERVER_AND_TOOLS =
  'type name command args env working_dir remote ref lifecycle tools readonly instruction allow_list deny_list ' +
  'allowed_domains blocked_domains path'
const TEXTS = 'name description text include priorityLevel enabled'

/** The keys that each product documents, by what Troupe does with them. `a.*: x y` stands for `a.*.x a.*.y`. */
const DOCUMENTED: Readonly<Record<string, Readonly<Record<Effect, readonly string[]>>>> = {
  goose: {
    applies: [
      'title description instructions prompt parameters extensions sub_recipes response settings',
      'extensions.*: type name cmd args uri headers envs env_keys timeout available_tools',
      'parameters.*: key input_type requirement description default options',
      'sub_recipes.*: name path values sequential_when_repeated description',
      'settings: goose_provider goose_model temperature max_turns',
      'retry: max_retries checks on_failure',
      'response: json_schema',
      'name (app).recipe',
    ],
    'changes nothing': [
      'version author activities (app).isGlobal (app).lastModified (app).isArchived',
      'extensions.*: description display_name bundled code dependencies',
      'retry: timeout_seconds on_failure_timeout_seconds',
    ],
    warning: ['retry'],
    error: [],
  },
  'docker-agent': {
    applies: [
      'model fallback description instruction instruction_file toolsets sub_agents handoffs force_handoff readonly',
      'max_iterations budgets budget add_date add_environment_info add_prompt_files commands structured_output skills',
      'max_tool_result_tokens session_compaction compaction_threshold compaction_model permissions',
      'use_commands use_skills use_toolsets safety',
      '(file): toolsets skills commands budgets',
      `toolsets.*: ${SERVER_AND_TOOLS}`,
      'models.*: provider model temperature max_tokens top_p base_url parallel_tool_calls token_key thinking_budget',
      'models.*: first_available compaction_model compaction_threshold',
      'providers.*: provider api_type headers base_url token_key temperature max_tokens top_p parallel_tool_calls',
      'providers.*: thinking_budget compaction_model',
    ],
    'changes nothing': [
      'welcome_message code_mode_tools add_description_parameter cache models mcps providers',
      '(file): version metadata flavors rag evaluators',
      'max_inject_memories inject_memories_strategy enable_bang_commands',
      'toolsets.*: url shell api_config webhook_config config allowed_servers blocked_servers recall ignore_vcs timeout',
      'toolsets.*: version defer toon safer file_types models',
      'models.*: description bypass_models_gateway track_usage title_model capabilities',
      'providers.*: track_usage unload_api',
    ],
    warning: [
      'hooks redact_secrets runtime max_consecutive_tool_calls max_old_tool_call_tokens num_history_items',
      'add_prompt_files_depth tool_choice inject_memories workflow',
      'toolsets.*: model headers post_edit shared allow_private_ips sudo_askpass',
      'models.*: frequency_penalty presence_penalty provider_opts task_budget routing auth cost',
      'providers.*: frequency_penalty presence_penalty provider_opts task_budget auth',
    ],
    error: ['harness rag toolsets.*.rag_config'],
  },
  tsagent: {
    applies: [
      'metadata settings systemPrompt rules references providers mcpServers',
      'metadata: name description version autonomous skills tools',
      'metadata.tools.*: name description parameters prompt',
      'settings: maxChatTurns maxTurns maxOutputTokens temperature topP model mostRecentModel toolPermission',
      `rules.*: ${TEXTS}`,
      `references.*: ${TEXTS}`,
      'mcpServers.*: type command args env cwd url headers tool toolPermissionRequired toolInclude',
      'mcpServers.*.serverToolDefaults: permissionRequired include',
      'mcpServers.*.tools.*: permissionRequired include',
    ],
    'changes nothing': [
      'metadata: created lastAccessed iconUrl documentationUrl provider',
      'settings: contextTopK contextTopN contextIncludeScore systemPath theme',
      'rules.*: embeddings hash',
      'references.*: embeddings hash',
      'mcpServers.*.tools.*: embeddings hash',
    ],
    warning: ['schedules'],
    error: ['supervisors'],
  },
  crewai: {
    applies: [
      'role goal backstory llm mcps max_iter max_execution_time max_retry_limit',
      'tasks.yaml: *: description expected_output agent context markdown',
    ],
    'changes nothing': [
      'max_rpm verbose cache respect_context_window code_execution_mode date_format max_reasoning_attempts embedder',
      'tasks.yaml: *: name max_retries guardrail_max_retries',
    ],
    warning: [
      'tools apps knowledge_sources function_calling_llm allow_delegation step_callback memory reasoning inject_date',
      'system_template prompt_template response_template allow_code_execution multimodal guardrail use_system_prompt',
      'tasks.yaml: *: tools async_execution human_input config output_file output_json output_pydantic callback guardrail',
    ],
    error: [],
  },
}

function keysOf(line: string): readonly string[] {
  const at = line.lastIndexOf(': ')
  const prefix = at === -1 ? '' : `${line.slice(0, at)}${line.startsWith('(file)') ? ' ' : '.'}`
  return line
    .slice(at === -1 ? 0 : at + 2)
    .split(' ')
    .map((key) => `${prefix}${key}`)
}

const CASES = Object.entries(DOCUMENTED).flatMap(([format, effects]) =>
  Object.entries(effects).flatMap(([effect, lines]) =>
    lines.flatMap((line) => keysOf(line).map((key) => [format, key, effect] as const)),
  ),
)

describe('the keys that a product documents', () => {
  it.each(CASES)(
    `a documented key has a row in the table: %s, %s: %s ${verifies('R4')}`,
    (name, key, effect) => {
      const row = ALL_FORMATS.find((format) => format.name === name)?.rows.find((each) => each.key === key)
      expect(row?.problem ?? (row?.status === 'ignored' ? 'changes nothing' : row && 'applies')).toBe(effect)
    },
  )
})

const DOCKER_KEYS = ALL_FORMATS.find(({ name }) => name === 'docker-agent')?.rows ?? []
const PREFIXED = /[.(]/u

/** An agent of docker-agent with one key more, in the mapping that has such keys. */
function withKey(key: string): ParsedCard {
  const [where = '', inner] = key.split('.*.')
  const agent = { model: 'fast', description: 'd', instruction: 'i' }
  const toolset = {
    type: 'fetch',
    ...(where === 'toolsets' && inner !== undefined ? { [inner]: ['x'] } : {}),
  }
  const extra = (name: string): object => (where === name && inner !== undefined ? { [inner]: ['x'] } : {})
  const file = {
    providers: { team: { provider: 'openai', base_url: 'https://team.example', ...extra('providers') } },
    models: { fast: { provider: 'team', model: 'x', ...extra('models') } },
    agents: { root: { ...agent, toolsets: [toolset], ...(PREFIXED.test(key) ? {} : { [key]: ['x'] }) } },
  }
  return parseCard(JSON.stringify(file), { path: '/p/team.json' })
}

describe('the problems that the table announces', () => {
  it.each(
    DOCKER_KEYS.filter(({ problem }) => problem !== undefined).map(({ key, problem }) => [key, problem]),
  )(
    `a key of docker-agent that is marked in the table causes the problem: %s, %s ${verifies('R4')}`,
    (key = '', problem) => {
      const last = key.split('.').at(-1) ?? ''
      expect(withKey(key).problems).toContainEqual(
        expect.objectContaining({ severity: problem, message: expect.stringContaining(last) as string }),
      )
    },
  )
})
