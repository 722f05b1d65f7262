import { troupeFormat } from '@troupe/cards/formats'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { fastAgentFormat } from '../../src/fast-agent/fast-agent.ts'
import { problemsOf, readProjectCard } from './project.ts'

const CARD = '.fast-agent/agent-cards/a.md'
const CONFIG = '.fast-agent/fast-agent.yaml'

/** Splits a list of keys, and puts a prefix before each. */
function keys(list: string, prefix = ''): readonly string[] {
  return list
    .trim()
    .split(/\s+/u)
    .map((key) => `${prefix}${key}`)
}

/** Keys of cards in the documentation of fast-agent. */
const CARD_KEYS = [
  ...keys('type name instruction description default tool_only schema_version'),
  ...keys('sequence cumulative fan_out fan_in include_request'),
  ...keys('generator evaluator min_rating max_refinements refinement_instruction'),
  ...keys('agents plan_type plan_iterations worker k max_samples match_strategy red_flag_max_length'),
  ...keys('servers tools resources prompts mcp_connect skills model use_history request_params human_input'),
  ...keys('shell cwd api_key function_tools tool_hooks lifecycle_hooks commands trim_tool_history'),
  ...keys('tool_input_schema messages subagents subagent_model harness_tools save_trajectory'),
  ...keys('history_source history_merge_target max_parallel child_timeout_sec max_display_instances'),
  ...keys('variables url transport auth headers'),
  ...keys(
    `max_tokens temperature top_p top_k min_p presence_penalty frequency_penalty repetition_penalty
    max_iterations parallel_tool_calls tool_result_mode streaming_timeout systemPrompt model use_history
    response_format structured_schema template_vars mcp_metadata service_tier`,
    'request_params.',
  ),
  ...keys(
    `target headers access_token auth protocol_mode name description management connector_id defer_loading
    command args env cwd`,
    'mcp_connect.N.',
  ),
]

/** Keys of servers in the documentation of fast-agent. */
const SERVER_KEYS = keys(
  `transport command args env cwd url headers access_token auth auth.oauth auth.scope auth.redirect_port
  auth.redirect_path auth.persist auth.client_metadata_url roots load_on_start include_instructions
  reconnect_on_disconnect read_timeout_seconds ping_interval_seconds max_missed_pings http_timeout_seconds
  http_read_timeout_seconds read_transport_sse_timeout_seconds protocol_mode elicitation sampling target name
  description management connector_id implementation defer_loading`,
  'mcp.servers.N.',
)

/** Keys of configurations in the documentation of fast-agent. */
const CONFIG_KEYS = [
  ...keys('default_model model_references environments default_environment llm_retries'),
  ...SERVER_KEYS,
  ...keys('targets client diagnostics', 'mcp.'),
  ...keys('anthropic openai responses openresponses codexresponses google openrouter generic azure groq'),
  ...keys('deepseek xai hf bedrock aliyun tensorzero'),
  ...keys('api_key base_url default_headers reasoning reasoning_effort default_model', 'PROVIDER.'),
  ...keys('timeout_seconds output_byte_limit enable_read_text_file write_text_file_mode', 'shell_execution.'),
  ...keys('warning_interval_seconds show_bash missing_cwd_policy', 'shell_execution.'),
  ...keys('auto threshold keep_turns prompt', 'compaction.'),
  ...keys('directories marketplace_url marketplace_urls', 'skills.'),
  ...keys('logger tui otel session_… git_aware cards plugins commands execution_engine harness_app'),
]

const rows = new Map([...troupeFormat.rows, ...fastAgentFormat.rows].map((row) => [row.key, row]))

describe('the table of the keys of fast-agent', () => {
  it(`every key that fast-agent documents for cards has a row ${verifies('R4')}`, () => {
    expect(CARD_KEYS.filter((key) => !rows.has(key))).toEqual([])
  })

  it(`every key that fast-agent documents for configurations has a row ${verifies('R4')}`, () => {
    expect(CONFIG_KEYS.filter((key) => !rows.has(`fast-agent.yaml: ${key}`))).toEqual([])
  })

  it('a key without an effect has a reason', () => {
    const without = fastAgentFormat.rows.filter(
      ({ status, reason = '' }) => status === 'ignored' && reason === '',
    )
    expect(without).toEqual([])
  })
})

/** Values that differ from what an agent does anyway. */
const LOST: readonly string[] = [
  'plan_type: full\ntype: orchestrator\nagents: [b]',
  'trim_tool_history: true',
  'cwd: elsewhere\nshell: true',
  'api_key: x',
  'messages: m.md',
  'lifecycle_hooks: {on_start: h.py:f}',
  'subagents: true',
  'harness_tools: true',
  'history_source: child',
  'history_merge_target: child',
  'request_params: {top_k: 4}',
  'request_params: {min_p: 0.1}',
  'request_params: {presence_penalty: 1}',
  'request_params: {frequency_penalty: 1}',
  'request_params: {repetition_penalty: 1.2}',
  'request_params: {tool_result_mode: selectable}',
  'request_params: {response_format: {type: json_object}}',
  'request_params: {structured_schema: {}}',
  'request_params: {template_vars: {a: b}}',
  'request_params: {mcp_metadata: {a: b}}',
  'request_params: {systemPrompt: x}',
  'request_params: {use_history: false}',
  'url: https://x.example',
]

describe('a key of fast-agent that Troupe does not support', () => {
  it.each(LOST)('a value that changes the agent is a warning: %s', (text) => {
    const path = text.startsWith('request') ? 'request_params.' : ''
    const key = /^(?:request_params: \{)?(?<key>\w+)/u.exec(text)?.groups?.['key']
    const read = readProjectCard(CARD, { [CARD]: `---\ndescription: d\n${text}\n---\nx` })
    expect(problemsOf(read)).toEqual([
      expect.stringContaining(`warning key_without_effect \`${path}${key ?? ''}\``),
    ])
  })

  it.each([
    'plan_type: iterative\ntype: orchestrator\nagents: [b]',
    'trim_tool_history: false',
    'cwd: elsewhere',
    'messages: []',
    'lifecycle_hooks: {}',
    'subagents: false',
    'use_history: true',
    'resources: {s: ["x://*"]}\nprompts: {s: [p]}',
    'save_trajectory: true\ncommands: {c: {description: d}}\nschema_version: 1',
    'request_params: {presence_penalty: 0, frequency_penalty: 0, repetition_penalty: 1, min_p: 0}',
    'request_params: {use_history: true, service_tier: flex, emit_loop_progress: true}',
    'history_source: none\nhistory_merge_target: none',
  ])('a value that changes nothing is no warning: %s', (text) => {
    expect(problemsOf(readProjectCard(CARD, { [CARD]: `---\ndescription: d\n${text}\n---\nx` }))).toEqual([])
  })

  it.each([
    ['roots: [{uri: "file:///x"}]', 1],
    ['roots: []', 0],
    ['sampling: {model: m}', 1],
    ['elicitation: {mode: forms}', 1],
    ['elicitation: {mode: none}', 0],
    ['load_on_start: false', 1],
    ['load_on_start: true', 0],
    ['http_timeout_seconds: 5', 1],
    ['http_read_timeout_seconds: 5', 1],
    ['read_transport_sse_timeout_seconds: 20', 1],
    ['read_transport_sse_timeout_seconds: 300', 0],
    ['ping_interval_seconds: 5, max_missed_pings: 1, reconnect_on_disconnect: false', 0],
    ['include_instructions: false, protocol_mode: auto, description: d, name: n', 0],
    ['auth: {oauth: false, persist: memory, redirect_path: /x}', 0],
  ])('a setting of a server is reported, with a warning if it is lost: %s', (setting, warnings) => {
    const read = readProjectCard(CARD, {
      [CARD]: '---\ndescription: d\nservers: [s]\n---\nx',
      [CONFIG]: `mcp: {servers: {s: {url: "https://x.example", ${setting}}}}\n`,
    })
    expect(problemsOf(read)).toHaveLength(warnings)
    const names = [...setting.matchAll(/(?<key>\w+): /gu)].map(({ groups }) => groups?.['key'] ?? '')
    const reported = read.report.map(({ key }) => key)
    expect(reported.filter((key) => names.some((name) => key.includes(`mcp.servers.s.${name}`)))).not.toEqual(
      [],
    )
  })

  it.each([
    ['anthropic: {web_search: {enabled: true}}', ['`anthropic.web_search` has no effect']],
    ['anthropic: {web_search: {enabled: false}, cache_ttl: 1h, default_model: haiku}', []],
    ['google: {web_search: {enabled: true}}', []],
    ['compaction: {prompt: Short.}', ['`compaction.prompt` has no effect']],
    ['logger: {level: debug}\ntui: {}\notel: {}\nplugins: {}\nsession_history: false', []],
  ])(
    'a lost setting of the configuration is a warning for the agents that it concerns: %s',
    (config, lost) => {
      const read = readProjectCard(CARD, {
        [CARD]: '---\ndescription: d\nmodel: sonnet\n---\nx',
        [CONFIG]: `${config}\n`,
      })
      expect(problemsOf(read)).toEqual(lost.map((text) => expect.stringContaining(text)))
      const places = read.problems.filter(({ code }) => code === 'key_without_effect').map(({ file }) => file)
      expect(places).toEqual(lost.map(() => `/p/${CONFIG}`))
    },
  )
})
