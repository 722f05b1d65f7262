import type { Json } from '@troupe/schema'
import { addToList, type FieldContext, type FieldOutcome } from '@troupe/cards/formats'
import {
  agentPath,
  commandPrompt,
  delegatedPrompt,
  putCommandName,
  type CommandSyntax,
} from '../rules/command-prompt.ts'
import { modelRule } from '../rules/common-rules.ts'
import { createCardFormat } from '../rules/create-card-format.ts'
import {
  drop,
  ignored,
  ignoredWithWarning,
  keep,
  rule,
  textOf,
  translated,
  type FieldRules,
} from '../rules/field-rule.ts'
import { COPILOT_HINT_RULE, COPILOT_TOOLS_RULE, legalName, readCopilotModel } from './copilot.ts'
import { COPILOT_SERVER_ROWS, copilotProjectFiles, putWorkspaceServers } from './copilot-servers.ts'

const PATH = /(?:^|\/)(?<path>[^/]+)\.prompt\.md$/u
const SYNTAX: CommandSyntax = {
  input: /\$\{(?:input|promptInput)(?::[^}]*)?\}/u,
  explainInput:
    'In the text above, `${input:name}` stands for the value of that name in the input, as in `name=value`. Text after a second colon describes the value. If the input does not contain it, take the value from the context.',
  file: /\]\((?!\w+:|#)(?<path>[^)\s#]+)\)|#file:(?<named>\S+)/gu,
  filesIn: 'card',
}
/** Variables that only an editor has. */
const EDITOR_VARIABLE = /\$\{(?:selection|selectedText|file\w*)\}/u

/** The built-in agents of VS Code, with the tools that they have. */
const BUILT_IN: ReadonlyMap<Json, readonly string[] | undefined> = new Map<
  Json,
  readonly string[] | undefined
>([
  ['agent', undefined],
  ['ask', ['filesystem.read', 'filesystem.list', 'filesystem.search']],
  ['plan', ['filesystem.read', 'filesystem.list', 'filesystem.search']],
  ['edit', ['filesystem.read', 'filesystem.list', 'filesystem.search', 'filesystem.write']],
])

const AGENT = rule(
  {
    status: 'translated',
    to: 'agents',
    reason: 'ask, edit and agent become tools; without `tools`, the command calls any other agent',
  },
  putAgent,
)

const RULES: FieldRules = {
  name: rule(
    { status: 'translated', to: 'name', reason: 'as `command:NAME`' },
    (value, { rewriter, from }) => {
      rewriter.put(['name'], `command:${legalName(textOf(value))}`, from)
      return undefined
    },
  ),
  description: keep(),
  'argument-hint': COPILOT_HINT_RULE,
  agent: AGENT,
  mode: AGENT,
  model: modelRule(readCopilotModel, 'display names become model ids; Auto is the default model'),
  tools: COPILOT_TOOLS_RULE,
  title: drop('it is catalogue metadata'),
  author: drop('it is catalogue metadata'),
  version: drop('it is catalogue metadata'),
  tags: drop('it is catalogue metadata'),
}

/** Restricts a prompt to the tools of its built-in agent, or lets it call the custom agent that it names. */
function putAgent(value: Json, field: FieldContext): FieldOutcome {
  const { rewriter, grant, from, card } = field
  if (typeof value !== 'string') return ignored('it is not a name')
  const hasTools = card.fields['tools'] !== undefined
  if (BUILT_IN.has(value.toLowerCase())) {
    const tools = BUILT_IN.get(value.toLowerCase())
    if (tools === undefined || hasTools) return ignored('the tools of the prompt apply')
    grant.limit()
    grant.allow(tools, from)
    return translated(`tools: ${tools.join(', ')}`)
  }
  if (hasTools) return ignoredWithWarning('a prompt with `tools` does not call another agent', field)
  const path = agentPath(value, { depth: 1, folders: ['agents', 'chatmodes'], card })
  addToList(rewriter, { to: ['agents'], values: [path ?? value], from })
  grant.limit()
  return translated(`agents: ${value}`, 'the command calls the agent and has no other tools')
}

/** Card format of VS Code prompt files, which are commands: `.github/prompts/*.prompt.md`. */
export const copilotPromptFormat: ReturnType<typeof createCardFormat> = createCardFormat({
  name: 'copilot-prompt',
  product: 'VS Code prompt files',
  pathPatterns: ['.github/prompts/**/*.prompt.md', '*.prompt.md'],
  folder: /\.prompt\.md$/iu,
  agentsFolder: (path) => /^(?:.*\/)?\.github\/prompts(?=\/|$)/u.exec(path)?.[0],
  rules: RULES,
  tools: 'all',
  acceptsProse: true,
  isByPathOnly: true,
  readBody,
  afterKeys: (field) => {
    if (field.rewriter.get(['name']) === undefined) putCommandName(PATH, field)
    putWorkspaceServers(field)
  },
  projectFiles: copilotProjectFiles,
  moreRows: COPILOT_SERVER_ROWS,
  toleratesMissingParts: true,
})

function readBody(body: string, field: FieldContext): string {
  const { rewriter, card } = field
  const editor = EDITOR_VARIABLE.exec(body)?.[0]
  if (editor !== undefined)
    rewriter.addProblem({
      severity: 'warning',
      code: 'key_without_effect',
      message: `\`${editor}\` in the prompt has no effect: there is no editor.`,
    })
  const prompt = commandPrompt(body, field, SYNTAX)
  const agent = textOf(card.fields['agent'] ?? card.fields['mode'])
  return rewriter.get(['agents']) === undefined ? prompt : delegatedPrompt(prompt, agent)
}
