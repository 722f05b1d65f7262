import { isJsonObject, type Json } from '@troupe/schema'
import { REASONING_LEVELS } from '@troupe/schema/agent-keys'
import {
  addToList,
  modelOfAlias,
  putModels,
  textList,
  type FieldContext,
  type FieldRow,
  type ProjectSettings,
} from '@troupe/cards/formats'
import { isText, mappingOf, translated } from '../rules/field-rule.ts'
import {
  lostSetting,
  reportKey,
  reportSetting,
  reportSettings,
  sameRule,
  settingRows,
  type SettingRules,
} from '../rules/project-settings.ts'
import { reportBadRule } from '../rules/put-rule.ts'
import { putRestriction } from './claude-permissions.ts'

const INTERFACE: SettingRules[string] = {
  status: 'ignored',
  reason: 'it only affects the interface of Claude Code',
}
const LOGIN: SettingRules[string] = {
  status: 'ignored',
  reason: 'API keys come from the environment or from `providers` in troupe.json',
}
const MANAGED: SettingRules[string] = { status: 'ignored', reason: 'only managed settings have it' }
const TRUSTED: SettingRules[string] = {
  status: 'ignored',
  reason: 'servers of `.mcp.json` need no confirmation, as in runs of Claude Code without a terminal',
}
const MAIN: SettingRules[string] = {
  status: 'ignored',
  reason: 'it changes the main conversation of Claude Code, not its agents',
}

/** The keys of `.claude/settings.json`. */
const RULES: SettingRules = {
  'permissions.deny': translated('permissions.deny', 'also those of the user'),
  'permissions.ask': translated('permissions.ask', 'also those of the user'),
  'permissions.allow': lostSetting(
    'it would allow more than the agent file; see `permissions` in troupe.json',
  ),
  'permissions.additionalDirectories': lostSetting('file tools are limited to the working folder of the run'),
  'permissions.defaultMode': translated(
    'permissions.deny',
    'plan and dontAsk, for agents without `permissionMode`; other modes would allow more',
  ),
  'permissions.disableBypassPermissionsMode': translated(
    'permissions.ask',
    'writing and the shell need approval despite `bypassPermissions`',
  ),
  'permissions.disableAutoMode': { status: 'ignored', reason: 'Troupe has no such mode' },
  'permissions.skipDangerousModePermissionPrompt': INTERFACE,
  disabledMcpjsonServers: translated('mcpServers', 'these servers of `.mcp.json` are left out'),
  ...sameRule(['enabledMcpjsonServers', 'enableAllProjectMcpServers'], TRUSTED),
  deniedMcpServers: translated('mcpServers', 'entries with `serverName`; others are errors'),
  ...sameRule(['allowedMcpServers', 'allowManagedMcpServersOnly', 'allowManagedHooksOnly'], MANAGED),
  ...sameRule(['allowManagedPermissionRulesOnly', 'strictKnownMarketplaces', 'blockedMarketplaces'], MANAGED),
  model: translated('model', 'of agents without a model'),
  agent: translated('default', 'the agent of that name is the entry'),
  effortLevel: translated('reasoning', 'of agents without `effort`'),
  sandbox: {
    status: 'translated',
    to: 'permissions.ask',
    problem: 'warning',
    reason: 'commands run without a sandbox, so each needs approval',
  },
  hooks: lostSetting('hooks are shell commands in Claude Code; write them as `toolHooks`'),
  disableAllHooks: { status: 'ignored', reason: 'hooks of Claude Code are not run' },
  env: lostSetting('servers and commands do not get these variables; write them in `env` of the server'),
  enabledPlugins: lostSetting('plugins of the project are not loaded; run the folder of a plugin as a team'),
  extraKnownMarketplaces: { status: 'ignored', reason: 'plugins are not installed' },
  language: lostSetting('write the language in the prompt'),
  fallbackModel: lostSetting('list several models in `model` of a Troupe card'),
  modelOverrides: lostSetting('see `models` in troupe.json'),
  alwaysThinkingEnabled: lostSetting('see `reasoning`'),
  skillOverrides: lostSetting('an agent reads the skills that it lists'),
  defaultShell: lostSetting('commands run in bash'),
  autoMode: { status: 'ignored', reason: 'Troupe has no such mode' },
  claudeMdExcludes: { status: 'ignored', reason: 'CLAUDE.md files are not read' },
  ...sameRule(['autoMemoryEnabled', 'autoMemoryDirectory'], {
    status: 'ignored',
    reason: 'notes belong to an agent; see `memory`',
  }),
  ...sameRule(['outputStyle', 'includeGitInstructions', 'includeCoAuthoredBy', 'attribution'], MAIN),
  ...sameRule(['apiKeyHelper', 'awsAuthRefresh', 'awsCredentialExport', 'gcpAuthRefresh'], LOGIN),
  ...sameRule(['forceLoginMethod', 'forceLoginOrgUUID', 'otelHeadersHelper'], LOGIN),
  ...sameRule(['availableModels', 'pluginTrustMessage', 'companyAnnouncements'], MANAGED),
  ...sameRule(['statusLine', 'fileSuggestion', 'respectGitignore', 'plansDirectory'], INTERFACE),
  ...sameRule(['cleanupPeriodDays', 'autoUpdatesChannel', 'teammateMode', 'worktree'], INTERFACE),
  ...sameRule(['spinnerVerbs', 'spinnerTipsEnabled', 'prefersReducedMotion', '$schema'], INTERFACE),
}

/** Rows of the documentation for `.claude/settings.json`. */
export const CLAUDE_SETTING_ROWS: readonly FieldRow[] = settingRows('.claude/settings.json', RULES)

const RESTRICTIVE: ReadonlySet<Json | undefined> = new Set<Json>(['plan', 'dontAsk'])
const CHANGING = ['filesystem.write', 'shell.execute']

/**
 * Applies the settings of the user and of the project. Settings only restrict an agent, apart from its model.
 * Those of the user are only used for rules.
 */
export function putClaudeSettings(field: FieldContext): void {
  for (const settings of (field.card.project ?? []).filter(isSettings)) {
    const isOfUser = !isOfProject(settings, field)
    reportSettings(settings, RULES, { field, isSilent: isOfUser })
    putPermissions(settings, field)
    putSandbox(settings, field)
    if (!isOfUser) putDefaults(settings, field)
  }
}

/** Returns the names of the servers that the settings switch off. */
export function disabledServers(field: FieldContext): ReadonlySet<string> {
  const names = (field.card.project ?? []).filter(isSettings).flatMap((settings) => {
    const { disabledMcpjsonServers: disabled = [], deniedMcpServers: denied = [] } = settings.fields
    const entries: readonly Json[] = Array.isArray(denied) ? (denied as readonly Json[]) : [denied]
    const named = entries.flatMap((entry, index) => {
      const { serverName } = mappingOf(entry)
      if (isText(serverName)) return [serverName]
      const at = ['deniedMcpServers', index]
      const reason = 'only entries with `serverName` are supported'
      reportSetting({ severity: 'error', at, settings, reason }, field.rewriter)
      return []
    })
    return [...(textList(disabled, []) ?? []).map(({ text }) => text), ...named]
  })
  return new Set(names)
}

/** Returns true if the settings do not allow `permissionMode: bypassPermissions`. */
export function refusesBypass({ card }: FieldContext): boolean {
  return (card.project ?? []).some(
    (settings) =>
      isSettings(settings) &&
      mappingOf(settings.fields['permissions'])['disableBypassPermissionsMode'] === 'disable',
  )
}

/** Returns true for a file of settings, as opposed to one of servers. */
function isSettings({ name }: ProjectSettings): boolean {
  return /(?:^|\/)(?:managed-)?settings(?:\.local)?\.json$/u.test(name)
}

/** Returns true for settings of the project that the agent belongs to, as opposed to those of the user. */
function isOfProject({ file }: ProjectSettings, { card }: FieldContext): boolean {
  const path = card.path.replaceAll('\\', '/')
  const own = /^(?:.*\/)?\.claude\/(?=(?:agents|commands)\/)/u.exec(path)?.[0]
  return file
    .replaceAll('\\', '/')
    .startsWith(own ?? `${(card.workspace ?? '').replaceAll('\\', '/')}/.claude/`)
}

/**
 * Adds `permissions.deny` and `permissions.ask`. `allow` is left out, because it would allow more than the
 * card does.
 */
function putPermissions(settings: ProjectSettings, field: FieldContext): void {
  const { permissions } = settings.fields
  const origin = { at: ['permissions'], settings }
  if (permissions === undefined || permissions === null) return
  if (!isJsonObject(permissions))
    return reportBadRule(origin, `\`${reportKey(origin)}\` must be a mapping of lists of rules.`, field)
  for (const list of ['deny', 'ask'] as const) putList(permissions[list], { list, settings }, field)
  const { defaultMode } = permissions
  if (!RESTRICTIVE.has(defaultMode) || field.card.fields['permissionMode'] !== undefined) return
  addToList(field.rewriter, { to: ['permissions', 'deny'], values: CHANGING, from: ['permissionMode'] })
  const key = reportKey({ at: ['permissions', 'defaultMode'], settings })
  field.rewriter.note({ key, status: 'translated', to: `permissions.deny: ${CHANGING.join(', ')}` })
}

function putList(
  value: Json | undefined,
  { list, settings }: { readonly list: 'deny' | 'ask'; readonly settings: ProjectSettings },
  field: FieldContext,
): void {
  if (value === undefined || value === null) return
  const at = ['permissions', list]
  const origin = { at, settings }
  if (!Array.isArray(value))
    return reportBadRule(origin, `\`${reportKey(origin)}\` must be a list of rules.`, field)
  for (const [index, rule] of (value as readonly Json[]).entries()) {
    const ruleOrigin = { at: [...at, index], settings }
    if (typeof rule === 'string')
      field.rewriter.note({
        key: `${reportKey(ruleOrigin)}: ${rule}`,
        ...putRestriction(rule, list, ruleOrigin, field),
      })
    else reportBadRule(ruleOrigin, `\`${reportKey(ruleOrigin)}\` must be text, such as Bash(rm *).`, field)
  }
}

/** Asks before every command that the product would run in its sandbox. */
function putSandbox(settings: ProjectSettings, { rewriter }: FieldContext): void {
  const { sandbox } = settings.fields
  if (mappingOf(sandbox)['enabled'] !== true) return
  const { to = '', reason = '' } = RULES['sandbox'] ?? {}
  addToList(rewriter, { to: ['permissions', 'ask'], values: ['shell.execute'], from: ['permissionMode'] })
  rewriter.note({ key: reportKey({ at: ['sandbox'], settings }), status: 'translated', to, reason })
  reportSetting({ severity: 'warning', at: ['sandbox'], settings, reason }, rewriter)
}

/** Sets what the agent leaves open: its model, its reasoning effort, and whether it is the entry. */
function putDefaults(settings: ProjectSettings, field: FieldContext): void {
  const { rewriter, card } = field
  const { model, agent, effortLevel } = settings.fields
  const note = (key: string, to: string): void =>
    rewriter.note({ key: reportKey({ at: [key], settings }), status: 'translated', to })
  if (isText(model) && card.fields['model'] === undefined) {
    rewriter.remove(['model'])
    putModels(model, { to: ['model'], read: modelOfAlias }, { ...field, from: ['model'] })
    note('model', 'model')
  }
  if (card.fields['effort'] === undefined && REASONING_LEVELS.some((level) => level === effortLevel)) {
    rewriter.remove(['reasoning'])
    rewriter.put(['reasoning'], effortLevel ?? '', ['effort'])
    note('effortLevel', 'reasoning')
  }
  if (isText(agent) && agent === rewriter.get(['name'])) {
    rewriter.put(['default'], true, ['name'])
    note('agent', 'default')
  }
}
