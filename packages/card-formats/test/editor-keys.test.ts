import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { ALL_FORMATS } from './cards.ts'

const words = (text: string): readonly string[] => text.split(/\s+/u).filter((word) => word !== '')
const prefixed = (prefix: string, text: string): readonly string[] => words(text).map((key) => prefix + key)

const SERVER = 'type command args env url headers'

/** The keys that the documentation of each product names, by card format. */
const DOCUMENTED: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'claude-code',
    [
      ...words(`name description tools disallowedTools model permissionMode maxTurns skills mcpServers hooks
        memory background effort isolation color initialPrompt observer observerMessage observeSubagents
        experimental cacheTtl omitClaudeMd`),
      ...prefixed(
        '.claude/settings.json: ',
        `permissions.allow permissions.ask permissions.deny permissions.additionalDirectories
        permissions.defaultMode permissions.disableBypassPermissionsMode permissions.disableAutoMode agent
        allowedMcpServers alwaysThinkingEnabled apiKeyHelper attribution autoMemoryDirectory
        autoUpdatesChannel availableModels awsAuthRefresh awsCredentialExport blockedMarketplaces
        claudeMdExcludes cleanupPeriodDays companyAnnouncements defaultShell deniedMcpServers disableAllHooks
        disabledMcpjsonServers effortLevel enableAllProjectMcpServers enabledMcpjsonServers enabledPlugins env
        extraKnownMarketplaces fallbackModel fileSuggestion forceLoginMethod forceLoginOrgUUID hooks
        includeCoAuthoredBy includeGitInstructions language model modelOverrides otelHeadersHelper outputStyle
        plansDirectory pluginTrustMessage respectGitignore sandbox skillOverrides statusLine
        strictKnownMarketplaces teammateMode worktree`,
      ),
      ...prefixed(
        '.claude-plugin/plugin.json: ',
        `name displayName version description author homepage repository license keywords agents commands
        skills hooks mcpServers lspServers outputStyles channels monitors experimental settings dependencies
        userConfig defaultEnabled`,
      ),
      ...prefixed('.mcp.json: mcpServers.N.', `${SERVER} headersHelper oauth timeout alwaysLoad`),
    ],
  ],
  [
    'claude-command',
    words(`name description when_to_use argument-hint arguments disable-model-invocation user-invocable
      allowed-tools disallowed-tools model effort context agent hooks paths shell`),
  ],
  [
    'opencode',
    [
      ...words(`name model variant temperature top_p prompt tools disable description mode hidden
        hidden_from_cycle options color steps maxSteps permission permissions`),
      ...prefixed(
        'opencode.json: ',
        `$schema agent agents attachment autoshare autoupdate command commands compaction default_agent
        disabled_providers enabled_providers enterprise experimental.batch_tool
        experimental.continue_loop_on_deny experimental.disable_paste_summary experimental.mcp_timeout
        experimental.openTelemetry experimental.policies experimental.primary_tools formatter instructions
        json_response keybinds layout logLevel lsp mcp mode model permission permissions plugin provider
        providers reference server share shell skills small_model snapshot theme tool_output tools tui
        username watcher`,
      ),
      ...prefixed(
        'opencode.json: mcp.N.',
        `type command cwd environment enabled timeout url headers oauth codemode`,
      ),
    ],
  ],
  ['opencode-command', words('template description agent model subtask')],
  [
    'copilot',
    [
      ...words(`name description argument-hint tools agents model user-invocable user-invokable
        disable-model-invocation infer target mcp-servers handoffs hooks metadata`),
      ...prefixed('.vscode/mcp.json: servers.N.', `${SERVER} cwd envFile oauth dev sandboxEnabled sandbox`),
      '.vscode/mcp.json: inputs',
    ],
  ],
  ['copilot-prompt', words('name description argument-hint agent mode model tools')],
  [
    'gemini',
    [
      ...words(`name description kind tools mcpServers model temperature max_turns timeout_mins display_name
        agent_card_url agent_card_json auth`),
      ...prefixed(
        '.gemini/settings.json: ',
        `mcpServers mcp.allowed mcp.excluded mcp.serverCommand tools.core tools.allowed tools.exclude
        tools.sandbox tools.discoveryCommand model hooks context general ui security`,
      ),
    ],
  ],
  ['gemini-command', words('prompt description')],
  [
    'codex',
    [
      ...words(`name description developer_instructions nickname_candidates model model_provider
        model_reasoning_effort sandbox_mode mcp_servers approval_policy skills default_permissions permissions
        web_search tools model_verbosity model_reasoning_summary`),
      ...prefixed(
        'config.toml: ',
        `agents.N.config_file agents.N.description agents.N.nickname_candidates agents.max_threads
        agents.max_depth agents.job_max_runtime_seconds model model_provider model_providers
        model_reasoning_effort approval_policy sandbox_mode sandbox_workspace_write default_permissions
        permissions shell_environment_policy developer_instructions instructions model_instructions_file
        model_context_window model_auto_compact_token_limit tool_output_token_limit compact_prompt service_tier
        personality profile profiles features hooks notify history otel tui apps plugins skills memories
        project_doc_max_bytes project_doc_fallback_filenames projects review_model web_search tools`,
      ),
      ...prefixed(
        'config.toml: mcp_servers.N.',
        `command args env env_vars cwd url bearer_token_env_var http_headers env_http_headers enabled required
        startup_timeout_sec startup_timeout_ms tool_timeout_sec enabled_tools disabled_tools
        default_tools_approval_mode tools.T.approval_mode scopes oauth_resource`,
      ),
    ],
  ],
])

describe.each([...DOCUMENTED])('the keys of %s', (name, keys) => {
  const rows = ALL_FORMATS.find((format) => format.name === name)?.rows ?? []

  it(`every documented key has a row in the field reference ${verifies('R4')}`, () => {
    const known = new Set(rows.map(({ key }) => key))
    expect(keys.filter((key) => !known.has(key))).toEqual([])
  })

  it('no key has two rows', () => {
    const all = rows.map(({ key }) => key)
    expect(all.filter((key, index) => all.indexOf(key) !== index)).toEqual([])
  })

  it('a row says which Troupe key a translated key becomes, and why a key has no effect', () => {
    const unclear = rows.filter(
      ({ status, to, reason }) =>
        (status === 'translated' && to === undefined) || (status === 'ignored' && reason === undefined),
    )
    expect(unclear).toEqual([])
  })
})
