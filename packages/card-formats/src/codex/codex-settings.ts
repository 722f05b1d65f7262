import { sameRule, type SettingRules } from '../rules/project-settings.ts'
import {
  drop,
  dropUnlessOff,
  dropWithWarning,
  type FieldRules,
  rule,
  translated,
} from '../rules/field-rule.ts'

const SUMMARY = 'provider-specific settings are not sent'
/** Rules for keys that agent files and `config.toml` have in common. */
export const SHARED_RULES: FieldRules = {
  approval_policy: rule(
    {
      status: 'translated',
      to: 'permissions',
      reason:
        'writing and the shell need approval; `never` with a sandbox: no shell, only MCP tools with the mode `approve`',
    },
    () => undefined,
  ),
  approvals_reviewer: drop('people approve calls'),
  sandbox_workspace_write: dropWithWarning('file tools are limited to the working folder of the run'),
  model_reasoning_summary: drop('summaries are not requested'),
  model_supports_reasoning_summaries: drop('summaries are not requested'),
  hide_agent_reasoning: drop('it only affects the interface of Codex'),
  show_raw_agent_reasoning: drop('it only affects the interface of Codex'),
  model_verbosity: dropWithWarning(SUMMARY),
  service_tier: dropWithWarning(SUMMARY),
  personality: dropWithWarning('write it in the prompt'),
  model_context_window: drop('the provider defines it; see `providers` in troupe.json'),
  model_auto_compact_token_limit: dropWithWarning('see `context`'),
  compact_prompt: dropWithWarning('the summary has its own prompt'),
  tool_output_token_limit: dropWithWarning('see `limits.maxToolResultBytes`'),
  model_instructions_file: dropWithWarning('an agent has the instructions of its file'),
  instructions: dropWithWarning('an agent has the instructions of its file'),
  shell_environment_policy: dropWithWarning('commands get a short list of variables; see `env`'),
  web_search: dropUnlessOff('add `search` to `runtimeTools` of a Troupe card'),
  tools: dropWithWarning('add `search` to `runtimeTools` of a Troupe card'),
  skills: dropWithWarning('list the folders in `skills` of a Troupe card'),
  hooks: dropWithWarning('hooks are shell commands in Codex; write them as `toolHooks`'),
  permissions: drop('it defines profiles; see `default_permissions`'),
  apps: dropWithWarning('apps of ChatGPT are not available'),
  plugins: dropWithWarning('plugins are not loaded'),
}
/** Keys of `config.toml` that only affect Codex itself. */
const OF_CODEX = [
  ['notify', 'tui', 'history', 'otel', 'analytics', 'feedback', 'file_opener', 'check_for_update_on_startup'],
  ['projects', 'project_doc_max_bytes', 'project_doc_fallback_filenames', 'project_root_markers', 'features'],
  [
    'plan_mode_reasoning_effort',
    'review_model',
    'memories',
    'log_dir',
    'sqlite_home',
    'cli_auth_credentials_store',
  ],
  [
    'forced_login_method',
    'forced_chatgpt_workspace_id',
    'chatgpt_base_url',
    'mcp_oauth_credentials_store',
    'notice',
  ],
  [
    'mcp_oauth_callback_port',
    'windows',
    'suppress_unstable_features_warning',
    'disable_paste_burst',
    'background_terminal_max_timeout',
  ],
].flat()

/** The keys of `config.toml`. */
export const CONFIG_RULES: SettingRules = {
  ...sameRule(
    [
      'model',
      'model_provider',
      'model_providers',
      'model_reasoning_effort',
      'sandbox_mode',
      'mcp_servers',
      'default_permissions',
      'approval_policy',
    ],
    translated('(agents)', 'as in agents, unless the agent sets it'),
  ),
  'agents.N.config_file': translated('(agents)', 'the file is read with the folder of `config.toml`'),
  'agents.N.description': translated('description'),
  'agents.N.nickname_candidates': { status: 'ignored', reason: 'an agent has one name' },
  'agents.max_threads': { status: 'ignored', problem: 'warning', reason: 'see `limits.maxParallel`' },
  'agents.max_depth': { status: 'ignored', problem: 'warning', reason: 'see `limits.maxDepth`' },
  'agents.job_max_runtime_seconds': { status: 'ignored', reason: 'Troupe has no tool for such jobs' },
  ...SHARED_RULES,
  developer_instructions: {
    status: 'ignored',
    problem: 'warning',
    reason: 'an agent has the instructions of its file',
  },
  ...sameRule(['profile', 'profiles'], {
    status: 'ignored',
    problem: 'warning',
    reason: 'profiles are not chosen; write the keys outside profiles',
  }),
  ...sameRule(OF_CODEX, { status: 'ignored', reason: 'it only affects Codex itself' }),
}
