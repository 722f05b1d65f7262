import { posix } from 'node:path'
import { isJsonObject, mcpToolName, type Json } from '@troupe/schema'
import { AGENT_MODES, MODEL_ALIASES } from '@troupe/schema/agent-keys'
import {
  APPROVAL_TOOLS,
  addToList,
  modelOfAlias,
  dottedPath,
  type FieldContext,
  type FieldOutcome,
  type ProductFiles,
  type RawCard,
  type ToolAlias,
  textList,
  troupeFormat,
} from '@troupe/cards/formats'
import { claudeProjectFiles, putRestriction } from './claude-permissions.ts'
import { CLAUDE_SETTING_ROWS, putClaudeSettings, refusesBypass } from './claude-settings.ts'
import {
  CLAUDE_PLUGIN_ROWS,
  isMarketplace,
  isPlugin,
  manifestOf,
  marketplacePaths,
  pluginFolder,
  pluginPaths,
} from './claude-plugin.ts'
import { CLAUDE_SERVER_ROWS, putClaudeServers } from './claude-servers.ts'
import { CLAUDE_TOOLS, CLAUDE_PRODUCT_TOOLS, claudeToolList } from './claude-tools.ts'
import {
  drop,
  dropUnlessOff,
  dropWithWarning,
  ignored,
  ignoredWithWarning,
  keep,
  move,
  rule,
  translated,
  type FieldRules,
  isText,
  mappingOf,
} from '../rules/field-rule.ts'
import { createCardFormat } from '../rules/create-card-format.ts'
import { effortRule, modelRule } from '../rules/common-rules.ts'
import { putServer } from '../rules/server-keys.ts'
import { MISSING_TOOLS, RUNTIME_TOOLS, allowNamedTools, allowTool } from '../rules/tool-mapping.ts'

const MODES: ReadonlyMap<Json, (field: FieldContext) => FieldOutcome> = new Map<
  Json,
  (field: FieldContext) => FieldOutcome
>([
  ['default', () => translated('permissions.ask', 'writing and the shell need approval')],
  ['manual', () => translated('permissions.ask', 'writing and the shell need approval')],
  [
    'acceptEdits',
    ({ grant }) => {
      grant.skipDefaultApproval(['filesystem.write'])
      return translated('permissions.ask', 'the shell needs approval, writing does not')
    },
  ],
  [
    'bypassPermissions',
    (field) => {
      const { grant, rewriter, from } = field
      if (refusesBypass(field)) return translated('permissions.ask', 'the settings of the project forbid it')
      grant.skipAllDefaultApprovals()
      rewriter.put(['toolPermission'], 'never', from)
      return translated('toolPermission: never')
    },
  ],
  ['auto', () => translated('permissions.ask', 'writing and the shell need approval')],
  ['plan', refuseChanges],
  ['dontAsk', refuseQuestions],
])

/** Modes that only restrict. */
const RESTRICTIVE: ReadonlySet<Json> = new Set(['plan', 'dontAsk'])
const OF_PLUGIN = ignored('Claude Code ignores it in agents of a plugin')

function refuseChanges({ card, grant, rewriter, from }: FieldContext): FieldOutcome {
  grant.skipAllDefaultApprovals()
  const changing = [
    'filesystem.write',
    'shell.execute',
    ...(card.fields['memory'] === undefined ? [] : ['memory.write']),
  ]
  addToList(rewriter, { to: ['permissions', 'deny'], values: changing, from })
  return translated(`permissions.deny: ${changing.join(', ')}`)
}

/** Denies all calls that would ask. The servers of the agent are known after its keys have been read. */
function refuseQuestions({ grant, rewriter, card, from }: FieldContext): FieldOutcome {
  grant.skipAllDefaultApprovals()
  const asking = [
    ...APPROVAL_TOOLS.filter((tool) => !tool.startsWith('memory.') || card.fields['memory'] !== undefined),
    'human.ask',
  ]
  addToList(rewriter, { to: ['permissions', 'deny'], values: asking, from })
  return translated(`permissions.deny: ${asking.join(', ')}, and the tools of servers`)
}

/** Finishes the mode dontAsk of an agent or of its settings, once the servers are known. */
export function putClaudeMode(field: FieldContext): void {
  const { card, rewriter } = field
  const own = card.fields['permissionMode']
  const isInherited =
    own === undefined &&
    (card.project ?? []).some(({ fields }) => mappingOf(fields['permissions'])['defaultMode'] === 'dontAsk')
  if (isInherited) refuseQuestions({ ...field, from: ['permissionMode'] })
  if (own !== 'dontAsk' && !isInherited) return
  const values = serversOf(field).map((server) => mcpToolName(server, '*'))
  addToList(rewriter, { to: ['permissions', 'deny'], values, from: ['permissionMode'] })
}

/** Returns the names of all servers that the agent uses. */
function serversOf({ rewriter }: FieldContext): readonly string[] {
  const named = textList(rewriter.get(['servers']) ?? [], []) ?? []
  return [...named.map(({ text }) => text), ...Object.keys(mappingOf(rewriter.get(['mcpServers'])))]
}

const RULES: FieldRules = {
  name: keep(),
  description: rule({ status: 'honoured' }, (value, { rewriter, from }) => {
    const text = typeof value === 'string' ? value.replaceAll(String.raw`\n`, '\n') : value
    rewriter.put(['description'], text, from)
    return text === value ? undefined : translated('description', String.raw`\n is a line break there`)
  }),
  tools: rule({ status: 'translated', to: 'tools, runtimeTools, servers, agents' }, (value, field) => {
    const names = claudeToolList(value, field.from)
    if (names !== undefined) return allowNamedTools(names, CLAUDE_PRODUCT_TOOLS, field)
    field.rewriter.put(['tools'], value, field.from)
    return undefined
  }),
  disallowedTools: rule({ status: 'translated', to: 'tools, permissions.deny' }, disallow),
  model: modelRule(
    modelOfAlias,
    `${[...MODEL_ALIASES].map(([alias, id]) => `${alias} becomes ${id}`).join(', ')}; inherit is the model of the caller`,
  ),
  effort: effortRule(),
  permissionMode: rule(
    {
      status: 'translated',
      to: 'permissions, toolPermission',
      reason: 'default, manual, acceptEdits, bypassPermissions, plan, dontAsk; auto asks',
    },
    (value, field) =>
      (manifestOf(field) !== undefined && !RESTRICTIVE.has(value) ? OF_PLUGIN : undefined) ??
      MODES.get(value)?.(field) ??
      ignoredWithWarning('Troupe has no such mode; writing and the shell need approval', field),
  ),
  maxTurns: move(['limits', 'maxTurns']),
  mcpServers: rule({ status: 'translated', to: 'mcpServers, servers' }, putServers),
  skills: rule(
    {
      status: 'translated',
      to: 'skills',
      reason: 'folders of `.claude/skills`; the agent reads a skill when it needs it',
    },
    putSkills,
  ),
  prompt: move(['instruction']),
  hooks: dropWithWarning('hooks are shell commands in Claude Code; write them as `toolHooks`'),
  isolation: dropWithWarning(MISSING_TOOLS.place.reason),
  memory: rule(
    { status: 'translated', to: 'memory', reason: 'project and local; the agent lists and reads its notes' },
    putMemory,
  ),
  background: dropUnlessOff('a parent waits for the answer of its children'),
  initialPrompt: move(['input', 'message'], {
    reason: 'the first message of a run that is started without one',
  }),
  autoCompactWindow: dropWithWarning('see `context`'),
  omitClaudeMd: drop('CLAUDE.md files are not read'),
  cacheTtl: drop('it only affects the price'),
  color: drop('it only affects the Claude Code interface'),
  observer: dropWithWarning('agents do not monitor each other'),
  observerMessage: dropWithWarning('agents do not monitor each other'),
  observeSubagents: drop('no agent has an observer'),
  observeToolResults: drop('no agent has an observer'),
  experimental: dropWithWarning('Troupe does not read experimental settings'),
  proactive: drop('models choose an agent by its description'),
  category: drop('it is catalogue metadata'),
}

function disallow(value: Json, field: FieldContext): FieldOutcome {
  const names = claudeToolList(value, field.from)
  if (names === undefined) return ignored('it is not a list of names')
  for (const { text, at } of names)
    field.rewriter.note({
      key: `${dottedPath(field.from)}: ${text}`,
      ...putRestriction(text, 'deny', { at }, field),
    })
  return undefined
}

function putServers(value: Json, field: FieldContext): FieldOutcome {
  if (manifestOf(field) !== undefined) return OF_PLUGIN
  const entries: readonly Json[] = Array.isArray(value) ? (value as readonly Json[]) : [value]
  for (const [index, entry] of entries.entries()) {
    const at = Array.isArray(value) ? [...field.from, index] : field.from
    if (typeof entry === 'string') {
      field.grant.addServer(entry)
      addToList(field.rewriter, { to: ['servers'], values: [entry], from: at })
    } else if (isJsonObject(entry)) {
      for (const [name, server] of Object.entries(entry))
        putServer(name, server, { field, at: [...at, name] })
    }
  }
  return undefined
}

/** Folders of the notes by scope, in the folder in which Claude Code is started. */
const MEMORY_FOLDERS: ReadonlyMap<Json, string> = new Map<Json, string>([
  ['project', '.claude/agent-memory'],
  ['local', '.claude/agent-memory-local'],
])

function putMemory(value: Json, field: FieldContext): FieldOutcome {
  const { card, from, rewriter, grant } = field
  const folder = MEMORY_FOLDERS.get(value)
  if (folder === undefined)
    return ignoredWithWarning('notes are only kept in the working folder; see `memory`', field)
  const { name } = card.fields
  const agent = isText(name) ? name : (/(?<stem>[^/\\]*?)(?:\.md)?$/u.exec(card.path)?.groups?.['stem'] ?? '')
  rewriter.put(['memory'], `${folder}/${agent}`, from)
  grant.allow(RUNTIME_TOOLS.saveMemory.tools, from)
  return undefined
}

function putSkills(value: Json, field: FieldContext): FieldOutcome {
  const { card, from, rewriter, grant } = field
  const names = textList(value, from)
  if (names === undefined) return ignored('it is not a list of names')
  const below = /(?:^|\/)\.claude\/agents\/(?<rest>.*)$/u.exec(card.path.replaceAll('\\', '/'))?.groups?.[
    'rest'
  ]
  const plugin = below === undefined ? pluginFolder(card.path, card) : undefined
  if (below === undefined && plugin === undefined)
    return ignoredWithWarning('skills are only found for cards in `.claude/agents` and in plugins', field)
  const up =
    plugin === undefined
      ? '../'.repeat(below?.split('/').length ?? 1)
      : `${posix.relative(posix.dirname(card.path.replaceAll('\\', '/')), plugin)}/`
  grant.allow(['skill.read'], from)
  addToList(rewriter, { to: ['skills'], values: names.map(({ text }) => `${up}skills/${text}`), from })
  return undefined
}

/** Card format of Claude Code subagents (`.claude/agents/*.md`). */
export const claudeCodeFormat: ReturnType<typeof createCardFormat> = createCardFormat({
  name: 'claude-code',
  product: 'Claude Code',
  pathPatterns: ['.claude/agents/**/*.md'],
  projectFolders: ['.claude/agents'],
  folder: /(?:^|\/)\.claude\/agents\//u,
  rules: RULES,
  keySuggestions: { 'allowed-tools': 'tools', allowed_tools: 'tools', allowedTools: 'tools' },
  tools: 'all',
  asksForServers: true,
  acceptsUnquotedText: true,
  matchesProject: (card) =>
    /(?:^|[\\/])agents[\\/]/u.test(card.path) && pluginFolder(card.path, card) !== undefined,
  agentsFolder: (path, files) =>
    /^(?:.*\/)?\.claude\/agents(?=\/|$)/u.exec(path)?.[0] ??
    (isPlugin(path, files) || isMarketplace(path, files) ? path : pluginFolder(`${path}/x`, files)),
  agentPaths,
  afterKeys: (field) => {
    putClaudeServers(field)
    putClaudeSettings(field)
    putClaudeMode(field)
  },
  projectFiles: claudeProjectFiles,
  moreRows: [...CLAUDE_SETTING_ROWS, ...CLAUDE_PLUGIN_ROWS, ...CLAUDE_SERVER_ROWS],
  acceptsValues,
  usesOwnValues,
  toolAlias: claudeToolAlias,
  toleratesMissingParts: true,
})

function agentPaths(folder: string, files: ProductFiles): readonly string[] {
  if (isMarketplace(folder, files)) return marketplacePaths(folder, files)
  return isPlugin(folder, files) ? pluginPaths(folder, files) : [folder]
}

/**
 * Returns true if all tools are named as in Claude Code, or some of them in a card that is no Troupe card.
 */
function acceptsValues(card: RawCard): boolean {
  const { fields, body } = card
  if (body === undefined) return false
  const names = claudeToolList(fields['tools'] ?? [], [])
  if (names === undefined) return false
  const isOwnName = (name: string): boolean => /^[A-Z]/u.test(name) && CLAUDE_TOOLS.has(name)
  if (!troupeFormat.hasAllKeys(card) && names.some(({ text }) => isOwnName(text))) return true
  return names.every(({ text }) => CLAUDE_TOOLS.has(text) || CLAUDE_PRODUCT_TOOLS.read(text) !== undefined)
}

/** Returns true for tools named as in Claude Code or a product that names them similarly. */
function usesOwnValues({ fields: { tools, mode } }: RawCard): boolean {
  // An unknown mode means that the file belongs to yet another product.
  const hasOtherMode = typeof mode === 'string' && !AGENT_MODES.some((known) => known === mode)
  return !hasOtherMode && (textList(tools ?? [], []) ?? []).some(({ text }) => isForeignTool(text))
}

function isForeignTool(name: string): boolean {
  return name !== '*' && (CLAUDE_TOOLS.has(name) || /^mcp_|\/|^\w+\(/u.test(name))
}

/**
 * Returns the equivalent of a name that only Claude Code uses. `*` and canonical names mean the same in every
 * card.
 */
function claudeToolAlias(name: string): ToolAlias | undefined {
  const word = name === '*' ? undefined : (CLAUDE_TOOLS.get(name) ?? CLAUDE_PRODUCT_TOOLS.read(name))
  return word && ((at, field) => allowTool(word, at, field))
}
