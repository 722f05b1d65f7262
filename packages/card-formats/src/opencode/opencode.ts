import { isJsonObject, type Json } from '@troupe/schema'
import {
  addToList,
  modelOfAlias,
  dottedPath,
  type FieldContext,
  type FieldOutcome,
  type FieldPath,
  type RawCard,
  textList,
} from '@troupe/cards/formats'
import {
  drop,
  dropUnlessOff,
  dropWithWarning,
  ignored,
  keep,
  move,
  rule,
  translated,
  type FieldRules,
} from '../rules/field-rule.ts'
import { createCardFormat } from '../rules/create-card-format.ts'
import { effortRule, modelRule } from '../rules/common-rules.ts'
import { opencodeCommandFormat } from './opencode-command.ts'
import { AGENT_MAPS, COMMAND_MAPS, holdsAgents, opencodeAgents } from './opencode-file.ts'
import { OPENCODE_SETTING_ROWS, putOpencodeSettings } from './opencode-settings.ts'
import {
  OPENCODE_FILE,
  opencodeProductTools,
  opencodeToolNames,
  putOpencodeServers,
  putProjectMcp,
} from './opencode-tools.ts'
import { opencodeProjectFiles, putOpencodePermissions } from './opencode-permissions.ts'
import { includeRule } from '../rules/include-files.ts'
import { allowTool, allowNamedTools, lookupTool } from '../rules/tool-mapping.ts'

const FILE = /\{file:(?<path>[^}\n]+)\}/gu

const RULES: FieldRules = {
  name: rule({ status: 'honoured' }, (value, { rewriter, from }) => {
    const name = typeof value === 'string' ? value.replaceAll('/', '-') : value
    rewriter.put(['name'], name, from)
    return name === value ? undefined : translated('name', 'names cannot contain slashes')
  }),
  description: keep(),
  mode: rule(
    { status: 'translated', to: 'hidden', reason: '`subagent` is hidden: only other agents call it' },
    (value, { rewriter, from }) => {
      if (value !== 'subagent') return ignored('every agent can be started directly')
      if (rewriter.get(['hidden']) === undefined) rewriter.put(['hidden'], true, from)
      return translated('hidden')
    },
  ),
  model: modelRule(
    modelOfAlias,
    'model ids have the same form, provider/name; the aliases of Claude Code work too',
  ),
  variant: effortRule(),
  reasoningEffort: effortRule(),
  temperature: keep(),
  top_p: move(['topP']),
  prompt: includeRule(FILE),
  system: includeRule(FILE),
  tools: rule({ status: 'translated', to: 'tools, runtimeTools' }, putTools),
  permission: rule({ status: 'translated', to: 'permissions, toolPermission' }, () => undefined),
  permissions: rule(
    {
      status: 'translated',
      to: 'permissions',
      reason: 'a list of rules; a mapping, which opencode itself does not read, can only restrict',
    },
    () => undefined,
  ),
  steps: move(['limits', 'maxTurns']),
  maxSteps: move(['limits', 'maxTurns']),
  hidden: rule({ status: 'honoured' }, (value, { rewriter, from }) => {
    if (rewriter.get(['hidden']) !== undefined) rewriter.remove(['hidden'])
    rewriter.put(['hidden'], value, from)
    return undefined
  }),
  hidden_from_cycle: drop('it only affects the opencode interface'),
  disable: dropUnlessOff('the agent is loaded; remove its file to leave it out'),
  disabled: dropUnlessOff('the agent is loaded; remove its file to leave it out'),
  options: dropWithWarning('provider-specific settings are not sent'),
  request: dropWithWarning('provider-specific settings are not sent'),
  textVerbosity: dropWithWarning('provider-specific settings are not sent'),
  thinking: dropWithWarning('provider-specific settings are not sent; see `variant`'),
  mcp: rule(
    { status: 'translated', to: 'mcpServers', reason: 'from opencode.json, for each of its agents' },
    putOpencodeServers,
  ),
  color: drop('it only affects the opencode interface'),
  version: drop('it is catalogue metadata'),
}

const ALL_OFF: NonNullable<FieldOutcome> = { status: 'translated', to: 'tools: []' }

/** Reads `tools`: in a mapping, `false` removes a tool and `true` allows it; a list is an allow-list. */
function putTools(value: Json, field: FieldContext): FieldOutcome {
  if (!isJsonObject(value)) {
    const names = textList(value, field.from)
    return names === undefined
      ? badTools(value, field)
      : allowNamedTools(names, opencodeProductTools(field.card), field)
  }
  const isOnlyList = value['*'] === false
  if (isOnlyList) field.grant.limit()
  for (const [name, isOn] of Object.entries(value)) {
    const at = [...field.from, name]
    const outcome = name === '*' && isOn === false ? ALL_OFF : switchTool(name, isOn, { field, at })
    field.rewriter.note({ ...outcome, key: dottedPath(at) })
  }
  return undefined
}

function switchTool(
  name: string,
  isOn: Json,
  { field, at }: { readonly field: FieldContext; readonly at: FieldPath },
): NonNullable<FieldOutcome> {
  const word = lookupTool(name, opencodeProductTools(field.card))
  if (word !== undefined && 'everything' in word)
    return { status: 'ignored', reason: 'every tool is on by default' }
  const names = name === 'task' ? [] : opencodeToolNames(name, field.card)
  if (names.length === 0) {
    const reason = word !== undefined && 'reason' in word ? word.reason : undefined
    return { status: 'ignored', reason: reason ?? 'opencode has no tool of that name' }
  }
  const ofServers = names.filter((tool) => tool.includes('__'))
  const builtIn = names.filter((tool) => !tool.includes('__'))
  if (isOn !== false) {
    field.grant.allow(builtIn, at)
    const tools = ofServers.map((tool) => readServerTool(tool)).filter(({ server }) => !/[*?]/u.test(server))
    for (const tool of tools) allowTool(tool, at, field)
    return { status: 'translated', to: names.join(', ') }
  }
  field.grant.refuse(names, at)
  addToList(field.rewriter, { to: ['permissions', 'deny'], values: ofServers, from: at })
  const removed = builtIn.length === 0 ? [] : ['removed from tools']
  const denied = ofServers.length === 0 ? [] : [`permissions.deny: ${ofServers.join(', ')}`]
  return { status: 'translated', to: [...removed, ...denied].join('; ') }
}

function readServerTool(name: string): { readonly server: string; readonly tool: string } {
  const [server = '', ...tool] = name.split('__')
  return { server, tool: tool.join('__') }
}

function badTools(value: Json, { rewriter, from }: FieldContext): FieldOutcome {
  rewriter.put(['tools'], value, from)
  return undefined
}

const AGENTS_FOLDER = /^(?:.*\/)?\.?opencode\/agents?(?=\/|$)/u

/** Names an agent in a subfolder after its path, with `-` for the slashes that names cannot contain. */
function putNestedName({ rewriter, card }: FieldContext): void {
  const path = card.path.replaceAll('\\', '/')
  const [, nested] = /\.?opencode\/agents?\/(.+\/[^/]+)\.md$/u.exec(path) ?? []
  if (nested === undefined || rewriter.get(['name']) !== undefined) return
  const name = nested.replaceAll('/', '-')
  rewriter.put(['name'], name, ['name'])
  rewriter.note({ key: '(path)', status: 'translated', to: `name: ${name}` })
}

/** Card format of opencode agents: `.opencode/agents/*.md`, and the agents of an `opencode.json`. */
export const opencodeFormat: ReturnType<typeof createCardFormat> = createCardFormat({
  name: 'opencode',
  product: 'opencode',
  pathPatterns: [
    '.opencode/agents/**/*.md',
    '.opencode/agent/**/*.md',
    '.opencode/mode/*.md',
    'opencode.json',
    'opencode.jsonc',
  ],
  projectFolders: ['.opencode/agents', '.opencode/agent'],
  folder: /(?:^|\/)\.?opencode\/(?:agents?|modes?)\//u,
  ending: OPENCODE_FILE,
  rules: RULES,
  unknownKeyReason: 'opencode sends such keys to the provider; Troupe does not',
  tools: 'all',
  acceptsUnquotedText: true,
  acceptsValues,
  toleratesMissingParts: true,
  usesOwnValues: ({ fields: { mode } }) =>
    typeof mode === 'string' && /^(?:primary|subagent|all)$/u.test(mode),
  fileKeys: [...Object.keys(RULES), ...AGENT_MAPS, ...COMMAND_MAPS, 'default_agent', '$schema', 'dialect'],
  agentsFolder: (path) => AGENTS_FOLDER.exec(path)?.[0],
  afterKeys: (field) => {
    putNestedName(field)
    putOpencodePermissions(field)
    putProjectMcp(field)
    putOpencodeSettings(field)
  },
  projectFiles: opencodeProjectFiles,
  moreRows: OPENCODE_SETTING_ROWS,
  several: (card) =>
    opencodeAgents(card, { agent: opencodeFormat.translate, command: opencodeCommandFormat.translate }),
})

/** Returns true for keys and values that only opencode has. */
function acceptsValues(card: RawCard): boolean {
  const { fields, body, path } = card
  const { mode, tools, permission, model } = fields
  if (body === undefined)
    return isJsonObject(fields['agent']) || (OPENCODE_FILE.test(path) && holdsAgents(card))
  if (typeof model === 'string' && !model.includes('/')) return false
  const isMode = mode === 'primary' || mode === 'subagent' || mode === 'all'
  const isSwitches = isJsonObject(tools) && Object.values(tools).every((value) => typeof value === 'boolean')
  return isMode || permission !== undefined || isSwitches
}
