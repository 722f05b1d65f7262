import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import {
  APPROVAL_TOOLS,
  type FieldContext,
  type FieldReport,
  type ProductFolders,
  type ProjectSettings,
} from '@troupe/cards/formats'
import { mappingOf, textOf, translated } from '../rules/field-rule.ts'
import { OPENCODE_FILE, USER_FOLDER, opencodeToolNames } from './opencode-tools.ts'
import {
  isPermission,
  noteOverruled,
  orderedRules,
  patternOf,
  putOrderedRules,
  type OrderedRule,
} from '../rules/ordered-rules.ts'
import { reportKey, type RuleOrigin } from '../rules/project-settings.ts'
import { putArgumentRule, putRule, reportBadRule } from '../rules/put-rule.ts'

/**
 * Returns the files of the user and the project whose rules apply to an agent in `.opencode/agent`, in order of precedence,
 * lowest first.
 */
export function opencodeProjectFiles(path: string, { home, listFiles }: ProductFolders): readonly string[] {
  const folder = /^(?<above>(?:.*\/)?)(?<own>\.?opencode\/)(?:agents?|modes?|commands?)\//u.exec(path)?.groups
  const besides = folder === undefined ? configFolderOf(path, listFiles) : undefined
  if (folder === undefined && besides === undefined && !OPENCODE_FILE.test(path)) return []
  const { above = '', own = '' } = folder ?? {}
  const ofUser = home === undefined ? [] : [`${home.replaceAll('\\', '/')}/${USER_FOLDER}`]
  const nextTo = besides === undefined ? [] : [besides]
  const ofProject = folder === undefined ? nextTo : own.startsWith('.') ? [above, above + own] : [above + own]
  return [...ofUser, ...ofProject]
    .flatMap((each) => CONFIG_NAMES.map((name) => each + name))
    .filter((file) => file !== path)
}

const CONFIG_NAMES = ['opencode.json', 'opencode.jsonc']

/**
 * Returns the folder of an agent or command that is kept as in the folder of the user: `agent` or `command`
 * beside an `opencode.json`.
 */
function configFolderOf(path: string, listFiles: ProductFolders['listFiles']): string | undefined {
  const above = /^(?<above>(?:.*?\/)?)(?:agents?|modes?|commands?)\/.*\.md$/u.exec(path)?.groups?.['above']
  if (above === undefined) return undefined
  const files = listFiles?.(above === '' ? '.' : above.replace(/\/$/u, '')) ?? []
  return CONFIG_NAMES.some((name) => files.includes(name)) ? above : undefined
}

/**
 * Adds the permission rules of the project and of the agent. The last matching rule wins. Rules of a command,
 * which opencode does not read there, can only restrict.
 */
export function putOpencodePermissions(
  field: FieldContext,
  { ofCommand = false }: { readonly ofCommand?: boolean } = {},
): void {
  const { card } = field
  const own = rulesIn(card.fields, undefined, field)
  const rules = [
    ...(card.project ?? []).flatMap((settings) => [
      ...switchedOffRules(settings, field),
      ...rulesIn(settings.fields, settings, field),
    ]),
    ...(ofCommand ? own.flatMap(withoutGrants) : own),
  ]
  putDefaultRule(rules, field)
  putOutsideRule(rules, field)
  const last = rules.at(-1)
  if (last?.isWord !== true) return putOrderedRules([...ruleOfNewerForm(field), ...rules], field)
  noteOverruled(rules.slice(0, -1), 'a later rule overrides it for all tools', field)
  field.rewriter.note({ key: reportKey(last), ...putSingleWord(last, field) })
}

/** In the newer form, a list of rules, calls that no rule names ask. */
function ruleOfNewerForm({ card }: FieldContext): readonly OpencodeRule[] {
  const own = Array.isArray(card.fields['permissions'])
  const settings = card.project?.find(({ fields }) => Array.isArray(fields['permissions']))
  if (!own && settings === undefined) return []
  return [{ tools: ['*'], permission: 'ask', at: ['permissions'], ...(own ? {} : { settings }) }]
}

/** Paths of files with variables, and those that opencode reads all the same. */
const VARIABLE_FILES = ['*.env', '*.env.*']
const VARIABLE_EXAMPLES = ['*.env.example']

/** Adds the built-in rule of opencode, unless another rule decides about all reading. */
function putDefaultRule(rules: readonly OrderedRule[], field: FieldContext): void {
  const isReplaced = rules.some(
    ({ tools, pattern }) =>
      pattern === undefined && (tools.includes('filesystem.read') || tools.includes('*')),
  )
  if (isReplaced) return
  for (const pattern of VARIABLE_FILES)
    putArgumentRule(
      { tools: ['filesystem.read'], permission: 'ask', pattern, except: VARIABLE_EXAMPLES, at: [] },
      field,
    )
  field.rewriter.note({
    key: '(no rule for reading)',
    status: 'translated',
    to: 'permissions.ask',
    reason: 'reading `.env` files needs approval',
  })
}

/**
 * A rule. `isWord` is true for a single word that applies to all tools, as in `permission: ask`, `isOutside` for
 * one about files outside the working folder.
 */
type OpencodeRule = OrderedRule & { readonly isWord?: true; readonly isOutside?: boolean }

const OUTSIDE = 'external_directory'
/** The commands whose arguments opencode compares with the folder. */
const PATH_COMMANDS = ['cat', 'cd', 'chmod', 'chown', 'cp', 'mkdir', 'mv', 'rm', 'touch']

/**
 * Applies the rule about files outside of the folder to the commands that opencode applies it to. It asks by
 * default. File tools never leave the folder.
 */
function putOutsideRule(rules: readonly OpencodeRule[], field: FieldContext): void {
  const isWhole = (tool: string, { tools, pattern }: OpencodeRule): boolean =>
    pattern === undefined && tools.includes(tool)
  const lasting = rules.slice(rules.findLastIndex((rule) => isWhole('*', rule)) + 1)
  const shell = lasting.findLast((rule) => isWhole('shell.execute', rule))
  const outside = lasting.filter(({ isOutside, at }) => isOutside === true || at[1] === OUTSIDE)
  const whole = outside.findLastIndex(({ pattern }) => pattern === undefined)
  const own = outside.slice(Math.max(whole, 0))
  const isDefault = own.length === 0 && lasting.length === rules.length
  const rule =
    own.find(({ permission }) => permission === 'deny') ??
    own.find(isAsking) ??
    (isDefault && rules.some(allowsCommands) ? BY_DEFAULT : undefined)
  if (rule === undefined || shell?.permission === 'deny') return
  const { at, settings, permission } = rule
  for (const command of PATH_COMMANDS)
    putArgumentRule({ tools: ['shell.execute'], permission, pattern: `${command} *`, at, settings }, field)
  field.rewriter.note({
    key: rule === BY_DEFAULT ? `(no ${OUTSIDE})` : `${reportKey(rule)} (shell)`,
    ...translated(`permissions.${permission}: ${PATH_COMMANDS.join(', ')}`, 'their paths are not compared'),
  })
}

const BY_DEFAULT: OrderedRule = { tools: [], permission: 'ask', at: [] }

function allowsCommands({ tools, permission }: OrderedRule): boolean {
  return permission === 'allow' && tools.includes('shell.execute')
}

function isAsking({ permission }: OpencodeRule): boolean {
  return permission === 'ask'
}

/** Sets one permission for all tools. */
function putSingleWord(rule: OpencodeRule, field: FieldContext): Omit<FieldReport, 'key'> {
  field.grant.skipAllDefaultApprovals()
  if (rule.permission === 'deny') {
    field.grant.limit()
    return putRule(rule, field)
  }
  const permissionWord = rule.permission === 'ask' ? 'always' : 'never'
  field.rewriter.put(['toolPermission'], permissionWord, rule.at)
  return { status: 'translated', to: `toolPermission: ${permissionWord}` }
}

function rulesIn(
  fields: JsonObject,
  settings: ProjectSettings | undefined,
  field: FieldContext,
): readonly OpencodeRule[] {
  const origin = (key: string): RuleOrigin => ({ at: [key], settings })
  return [
    ...rulesOfMapping(fields['permission'], origin('permission'), field),
    ...rulesOfPermissions(fields['permissions'], origin('permissions'), field),
  ]
}

function rulesOfMapping(
  value: Json | undefined,
  origin: RuleOrigin,
  field: FieldContext,
): readonly OpencodeRule[] {
  if (value === undefined || value === null) return []
  if (isPermission(value)) return [{ tools: ['*'], permission: value, isWord: true, ...origin }]
  if (!isJsonObject(value))
    return invalidRules(origin, 'must be allow, ask or deny, or a mapping of tools to these', field)
  const toolsOf = (name: string): readonly string[] => opencodeToolNames(name, field.card)
  return orderedRules(value, origin, { toolsOf, argumentOf, field })
}

/** Patterns of `grep` are compared with the text that is searched for. */
function argumentOf(name: string): string | undefined {
  return name === 'grep' ? 'query' : undefined
}

/**
 * Reads `permissions`: a list of `{action, resource, effect}`. A mapping, which opencode does not read, can
 * only restrict.
 */
function rulesOfPermissions(
  value: Json | undefined,
  origin: RuleOrigin,
  field: FieldContext,
): readonly OpencodeRule[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value))
    return (value as readonly Json[]).flatMap((entry, index) =>
      ruleOfEntry(entry, { ...origin, at: [...origin.at, index] }, field),
    )
  if (!isJsonObject(value))
    return invalidRules(origin, 'must be a list of rules or a mapping of tools', field)
  return rulesOfMapping(value, origin, field).flatMap(withoutGrants)
}

function ruleOfEntry(entry: Json, origin: RuleOrigin, field: FieldContext): readonly OpencodeRule[] {
  const { action, resource = '*', effect } = mappingOf(entry)
  if (typeof action !== 'string' || !isPermission(effect))
    return invalidRules(origin, 'must have an `action`, and an `effect` that is allow, ask or deny', field)
  const tools = opencodeToolNames(action, field.card)
  const argument = argumentOf(action)
  const isOutside = action === OUTSIDE
  return [
    { tools, permission: effect, argument, isOutside, ...origin, ...patternOf(textOf(resource), tools) },
  ]
}

/**
 * Makes sure that a rule grants nothing: `allow` becomes `ask` for tools that need approval, and is dropped
 * for other tools.
 */
function withoutGrants(rule: OpencodeRule): readonly OpencodeRule[] {
  if (rule.permission !== 'allow') return [rule]
  const needsApproval = rule.tools.some((tool) => APPROVAL_TOOLS.includes(tool))
  return needsApproval ? [{ ...rule, permission: 'ask' }] : []
}

/**
 * Returns deny rules for tools that project settings switch off and the agent does not switch on. Those in
 * the agent's own file are read with the agent.
 */
function switchedOffRules(settings: ProjectSettings, field: FieldContext): readonly OpencodeRule[] {
  if (settings.file === field.card.path) return []
  return Object.entries(mappingOf(settings.fields['tools']))
    .filter(([name, isOn]) => isOn === false && mappingOf(field.card.fields['tools'])[name] !== true)
    .map(([name]) => ({
      tools: opencodeToolNames(name, field.card),
      permission: 'deny' as const,
      at: ['tools', name],
      settings,
    }))
}

function invalidRules(origin: RuleOrigin, message: string, field: FieldContext): readonly never[] {
  reportBadRule(origin, `\`${reportKey(origin)}\` ${message}.`, field)
  return []
}
