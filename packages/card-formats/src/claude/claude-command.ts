import { posix } from 'node:path'
import { putClaudeMode } from './claude-code.ts'
import { MODEL_ALIASES } from '@troupe/schema/agent-keys'
import { addToList, modelOfAlias, textList, type FieldContext, type RawCard } from '@troupe/cards/formats'
import { DOLLAR_SYNTAX, commandPrompt, putCommandName, type CommandSyntax } from '../rules/command-prompt.ts'
import { effortRule, modelRule } from '../rules/common-rules.ts'
import { createCardFormat } from '../rules/create-card-format.ts'
import { drop, dropWithWarning, keep, move, rule, type FieldRules } from '../rules/field-rule.ts'
import { allowNamedTools } from '../rules/tool-mapping.ts'
import { claudeProjectFiles, putRestriction } from './claude-permissions.ts'
import { putClaudeSettings } from './claude-settings.ts'
import { pluginFolder } from './claude-plugin.ts'
import { putClaudeServers } from './claude-servers.ts'
import { CLAUDE_PRODUCT_TOOLS, claudeToolList } from './claude-tools.ts'

const TOOLS = rule(
  { status: 'translated', to: 'tools, runtimeTools', reason: 'the only tools; as in agents' },
  (value, field) => {
    const names = claudeToolList(value, field.from) ?? []
    return allowNamedTools(names, CLAUDE_PRODUCT_TOOLS, field)
  },
)

const RULES: FieldRules = {
  name: drop('a command is named after its file'),
  description: keep(),
  'argument-hint': move(['usage'], {
    convert: (value) => (Array.isArray(value) ? `[${value.join(', ')}]` : undefined),
  }),
  'allowed-tools': TOOLS,
  'disallowed-tools': rule({ status: 'translated', to: 'permissions.deny' }, (value, field) => {
    for (const { text, at } of claudeToolList(value, field.from) ?? [])
      field.rewriter.note({
        key: `disallowed-tools: ${text}`,
        ...putRestriction(text, 'deny', { at }, field),
      })
    return undefined
  }),
  model: modelRule(modelOfAlias, `${[...MODEL_ALIASES.keys()].join(', ')}, or a model of the API`),
  effort: effortRule(),
  'disable-model-invocation': drop('no agent calls a command'),
  'user-invocable': rule(
    { status: 'translated', to: 'hidden', reason: 'false becomes hidden' },
    (value, { rewriter, from }) => {
      rewriter.put(['hidden'], value === false, from)
      return undefined
    },
  ),
  'hide-from-slash-command-tool': drop('no agent calls a command'),
  arguments: rule(
    { status: 'translated', to: 'instruction', reason: 'explained in the prompt' },
    () => undefined,
  ),
  when_to_use: drop('no agent calls a command'),
  category: drop('it is catalogue metadata'),
  version: drop('it is catalogue metadata'),
  metadata: drop('it is catalogue metadata'),
  agent: dropWithWarning('a command is an agent of its own'),
  context: dropWithWarning('a command always has its own conversation'),
  hooks: dropWithWarning('hooks are shell commands in Claude Code; write them as `toolHooks`'),
  paths: drop('a command is started by name'),
  shell: dropWithWarning('the model runs commands as arguments of `shell.execute`'),
}

/** Card format of commands of Claude Code: `.claude/commands`, and `commands` of a plugin. */
export const claudeCommandFormat: ReturnType<typeof createCardFormat> = createCardFormat({
  name: 'claude-command',
  product: 'Claude Code commands',
  pathPatterns: ['.claude/commands/**/*.md'],
  folder: /(?:^|\/)\.claude\/commands\//u,
  matchesProject: (card) =>
    commandPath(card.path) !== undefined && (isCommand(card) || pluginFolder(card.path, card) !== undefined),
  rules: RULES,
  tools: 'all',
  asksForServers: true,
  acceptsUnquotedText: true,
  acceptsProse: true,
  isByPathOnly: true,
  agentsFolder: (path) => /^(?:.*\/)?\.claude\/commands(?=\/|$)/u.exec(path)?.[0],
  readBody: (body, field) => commandPrompt(body, field, syntaxOf(field)),
  afterKeys: (field) => {
    putCommandName(PATH, field)
    putAgents(field)
    putClaudeServers(field)
    putClaudeSettings(field)
    putClaudeMode(field)
  },
  projectFiles: claudeProjectFiles,
  toleratesMissingParts: true,
})

const PATH = /(?:^|\/)commands\/(?<path>.+)\.md$/u
const COMMAND_KEYS = ['allowed-tools', 'argument-hint']

/** Returns true for front matter with a key of commands, and no keys of others. */
function isCommand({ fields }: RawCard): boolean {
  return (
    COMMAND_KEYS.some((key) => Object.hasOwn(fields, key)) &&
    Object.keys(fields).every((key) => Object.hasOwn(RULES, key))
  )
}

/** Returns the path of a command in its folder without extension, such as `git/commit`. */
function commandPath(path: string): string | undefined {
  return PATH.exec(path.replaceAll('\\', '/'))?.groups?.['path']
}

/** Returns the syntax of a command, whose arguments may have names. */
function syntaxOf({ card }: FieldContext): CommandSyntax {
  const names = (textList(card.fields['arguments'] ?? [], []) ?? [])
    .flatMap(({ text }) => text.split(/\s+/u))
    .filter((name) => /^[A-Za-z_]\w*$/u.test(name))
  if (names.length === 0) return DOLLAR_SYNTAX
  const meanings = names.map((name, index) => `\`$${name}\` for word ${index + 1}`).join(', ')
  return {
    ...DOLLAR_SYNTAX,
    input: /\$(?:ARGUMENTS|\d|[A-Za-z_])/u,
    explainInput: `${DOLLAR_SYNTAX.explainInput} It also uses ${meanings}.`,
  }
}

/** Lets a command call the agents of its project or plugin, unless its tools leave out the tool for that. */
function putAgents({ rewriter, card, from }: FieldContext): void {
  const names = claudeToolList(card.fields['allowed-tools'] ?? ['Agent'], []) ?? []
  const path = commandPath(card.path)
  if (path === undefined || !names.some(({ text }) => /^(?:\*|Agent|Task)$/u.test(text))) return
  const agents = posix.join('../'.repeat(path.split('/').length), 'agents')
  const folder = posix.join(posix.dirname(card.path.replaceAll('\\', '/')), agents)
  if (card.listFiles?.(folder).some((name) => !name.startsWith('.')) !== true) return
  addToList(rewriter, { to: ['agents'], values: [`${agents}/**/*.md`], from })
  rewriter.note({ key: '(agents)', status: 'translated', to: `agents: ${agents}/**/*.md` })
}
