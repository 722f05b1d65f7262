import { textList, type FieldContext, type FieldRow, type ProjectSettings } from '@troupe/cards/formats'
import { isText, mappingOf, textOf, translated } from '../rules/field-rule.ts'
import {
  lostSetting,
  reportKey,
  reportSetting,
  reportSettings,
  sameRule,
  settingRows,
  type SettingRules,
} from '../rules/project-settings.ts'
import { LOST_SERVER_RULES, SERVER_RULES } from '../rules/server-keys.ts'
import { isOfUser, opencodeToolNames } from './opencode-tools.ts'

const INTERFACE: SettingRules[string] = {
  status: 'ignored',
  reason: 'it only affects the interface of opencode',
}

/** The keys of `opencode.json`. */
export const OPENCODE_SETTINGS: SettingRules = {
  ...sameRule(
    ['agent', 'agents', 'mode'],
    translated('(agents)', 'an agent for each entry with a prompt or description'),
  ),
  ...sameRule(['command', 'commands'], translated('(agents)', 'an agent `command:NAME` for each entry')),
  default_agent: translated('default'),
  model: translated('model', 'of agents without a model'),
  mcp: translated('mcpServers'),
  ...sameRule(['permission', 'permissions', 'tools'], translated('permissions', 'for each agent')),
  ...sameRule(
    ['provider', 'providers'],
    translated('providers in troupe.json', 'those with `options.baseURL`, as an OpenAI-compatible API'),
  ),
  ...sameRule(
    ['disabled_providers', 'enabled_providers'],
    translated('model', 'an agent with a model of another provider is an error'),
  ),
  'experimental.primary_tools': translated('permissions.deny', 'of agents with `mode: subagent`'),
  'experimental.policies': { status: 'ignored', problem: 'error', reason: 'policies cannot be enforced' },
  'experimental.batch_tool': { status: 'ignored', reason: 'models call several tools in one turn' },
  'experimental.mcp_timeout': lostSetting('see `toolTimeout` of the server'),
  'experimental.continue_loop_on_deny': {
    status: 'ignored',
    reason: 'a run always continues after a denied call',
  },
  'experimental.openTelemetry': {
    status: 'ignored',
    reason: 'see OpenTelemetry in the configuration of Troupe',
  },
  'experimental.disable_paste_summary': INTERFACE,
  instructions: lostSetting('shared instruction files are not read; write them in the prompts'),
  plugin: lostSetting('plugins are code of opencode; see `toolHooks` and `functionTools`'),
  skills: lostSetting('list the folders in `skills` of a Troupe card'),
  ...sameRule(['reference', 'references'], lostSetting('the folders are not offered to agents')),
  formatter: lostSetting('files are not formatted after an agent has written them'),
  lsp: lostSetting('Troupe has no language servers'),
  shell: lostSetting('commands run in bash'),
  compaction: lostSetting('see `context`'),
  tool_output: lostSetting('see `limits.maxToolResultBytes`'),
  json_response: lostSetting('see `output`'),
  attachment: lostSetting('attachments are not resized'),
  small_model: { status: 'ignored', reason: 'opencode uses it for titles' },
  snapshot: { status: 'ignored', reason: 'Troupe does not undo changes to files' },
  ...sameRule(['theme', 'keybinds', 'tui', 'layout', 'username', 'share', 'autoshare'], INTERFACE),
  ...sameRule(['autoupdate', 'logLevel', 'watcher', 'server', 'enterprise'], INTERFACE),
  $schema: { status: 'ignored', reason: 'only editors use it' },
}

/** Rows of the documentation for `opencode.json`. */
export const OPENCODE_SETTING_ROWS: readonly FieldRow[] = [
  ...settingRows('opencode.json', OPENCODE_SETTINGS),
  ...settingRows(
    'opencode.json',
    Object.fromEntries(
      Object.entries({
        ...SERVER_RULES,
        environment: translated('mcpServers.N.env'),
        enabled: translated('mcpServers', 'a server with `false` is left out'),
        timeout: translated('mcpServers.N.startTimeout', 'a mapping also sets `toolTimeout`'),
        codemode: { status: 'ignored', reason: 'a model calls tools directly' } as const,
        ...LOST_SERVER_RULES,
      }).map(([key, rule]) => [`mcp.N.${key}`, rule] as const),
    ),
  ),
]

/** Applies the model, the restrictions and the providers of the project, and reports its other settings. */
export function putOpencodeSettings(field: FieldContext): void {
  putProjectModel(field)
  for (const settings of field.card.project ?? []) {
    // The keys of the agent's own file are reported once for the file.
    const isSilent = isOfUser(settings, field.card)
    if (settings.file !== field.card.path) reportSettings(settings, OPENCODE_SETTINGS, { field, isSilent })
    putPrimaryTools(settings, field)
    if (!isSilent) putProviders(settings, field)
    checkProviders(settings, field)
  }
}

/** Sets the model of the project for an agent without a model. */
function putProjectModel({ rewriter, card }: FieldContext): void {
  const settings = card.project?.findLast(
    (each) => typeof each.fields['model'] === 'string' && !isOfUser(each, card),
  )
  if (settings === undefined || card.fields['model'] !== undefined) return
  const model = textOf(settings.fields['model'])
  rewriter.put(['model'], model, ['model'])
  rewriter.note({ key: `${settings.label}: model`, status: 'translated', to: `model: ${model}` })
}

/** Denies subagents the tools that only primary agents may use. */
function putPrimaryTools(settings: ProjectSettings, { rewriter, grant, card }: FieldContext): void {
  if (card.fields['mode'] !== 'subagent') return
  const { primary_tools: primary = [] } = mappingOf(settings.fields['experimental'])
  const tools = (textList(primary, []) ?? []).flatMap(({ text }) => opencodeToolNames(text, card))
  if (tools.length === 0) return
  grant.refuse(tools, ['mode'])
  const key = reportKey({ at: ['experimental', 'primary_tools'], settings })
  rewriter.note({ key, status: 'translated', to: `removed from tools: ${tools.join(', ')}` })
}

/** Defines the providers that have an address. */
function putProviders({ fields }: ProjectSettings, { rewriter }: FieldContext): void {
  const providers = { ...mappingOf(fields['provider']), ...mappingOf(fields['providers']) }
  for (const [id, provider] of Object.entries(providers)) {
    const { options, npm } = mappingOf(provider)
    const { baseURL, apiKey } = mappingOf(options)
    const isCompatible = npm === undefined || npm === '@ai-sdk/openai-compatible' || npm === '@ai-sdk/openai'
    if (!isText(baseURL) || !isCompatible) continue
    rewriter.addProvider(id, {
      baseURL: withVariables(baseURL),
      api: npm === '@ai-sdk/openai' ? 'responses' : 'chat',
      ...(isText(apiKey) ? { apiKey: withVariables(apiKey) } : {}),
    })
  }
}

/** Converts `{env:NAME}`. */
function withVariables(text: string): string {
  return text.replaceAll(/\{env:(\w+)\}/gu, '$${$1}')
}

/** Rejects a model of a provider that the project does not allow. */
function checkProviders(settings: ProjectSettings, { rewriter }: FieldContext): void {
  const { enabled_providers: enabled, disabled_providers: disabled = [] } = settings.fields
  const model = rewriter.get(['model'])
  const models = Array.isArray(model) ? model : [model]
  const isListed = (list: typeof enabled, provider: string): boolean =>
    textList(list ?? [], [])?.some(({ text }) => text === provider) === true
  for (const id of models) {
    const provider = textOf(id).split('/', 1)[0] ?? ''
    if (!textOf(id).includes('/')) continue
    const isDisabled = isListed(disabled, provider)
    if (!isDisabled && (enabled === undefined || isListed(enabled, provider))) continue
    const reason = `the model ${textOf(id)} belongs to a provider that is not enabled`
    const key = isDisabled ? 'disabled_providers' : 'enabled_providers'
    reportSetting({ severity: 'error', at: [key], settings, reason }, rewriter)
  }
}
