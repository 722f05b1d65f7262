import { isJsonObject, type Json } from '@troupe/schema'
import { addToList, modelOfAlias, type FieldContext, type FieldOutcome } from '@troupe/cards/formats'
import {
  DOLLAR_SYNTAX,
  agentPath,
  commandPrompt,
  delegatedPrompt,
  putCommandName,
} from '../rules/command-prompt.ts'
import { effortRule, modelRule } from '../rules/common-rules.ts'
import { createCardFormat } from '../rules/create-card-format.ts'
import {
  drop,
  ignored,
  keep,
  mappingOf,
  rule,
  textOf,
  translated,
  type FieldRules,
} from '../rules/field-rule.ts'
import { AGENT_MAPS } from './opencode-file.ts'
import { opencodeProjectFiles, putOpencodePermissions } from './opencode-permissions.ts'
import { putOpencodeSettings } from './opencode-settings.ts'
import { putOpencodeServers, putProjectMcp } from './opencode-tools.ts'

const FOLDER = /(?:^|\/)\.?opencode\/commands?\/(?<path>.+)\.md$/u

const READING = ['filesystem.read', 'filesystem.list', 'filesystem.search']

const RULES: FieldRules = {
  name: keep(),
  template: rule({ status: 'translated', to: 'instruction', reason: 'in opencode.json' }, (value, field) => {
    field.rewriter.put(['instruction'], promptOf(textOf(value), field), field.from)
    return undefined
  }),
  mcp: rule(
    { status: 'translated', to: 'mcpServers', reason: 'from opencode.json, for each of its commands' },
    putOpencodeServers,
  ),
  description: keep(),
  model: modelRule(modelOfAlias, 'model ids have the same form, provider/name'),
  variant: effortRule(),
  agent: rule(
    {
      status: 'translated',
      to: 'agents',
      reason:
        'the command calls the agent and has no other tools; build, plan, general and explore become tools',
    },
    putAgent,
  ),
  ...Object.fromEntries(
    ['permission', 'permissions'].map((key) => [
      key,
      rule(
        {
          status: 'translated',
          to: 'permissions',
          reason: 'opencode itself does not read it in commands, so it can only restrict',
        },
        () => undefined,
      ),
    ]),
  ),
  subtask: drop('a command always has its own conversation'),
}

/** The built-in agents of opencode, with the tools that they have: `undefined` for all. */
const BUILT_IN: ReadonlyMap<string, readonly string[] | undefined> = new Map([
  ['build', undefined],
  ['general', undefined],
  ['plan', READING],
  ['explore', READING],
])

function putAgent(value: Json, field: FieldContext): FieldOutcome {
  const { rewriter, grant, from } = field
  if (typeof value !== 'string') return ignored('it is not a name')
  const agent = calledAgent(field)
  if (agent !== undefined) {
    addToList(rewriter, { to: ['agents'], values: [agent], from })
    grant.limit()
    return translated(`agents: ${agent}`)
  }
  const tools = BUILT_IN.get(value)
  if (tools === undefined) return ignored('the command has the tools of this agent itself')
  grant.limit()
  grant.allow(tools, from)
  return translated(`tools: ${tools.join(', ')}`)
}

/** Returns the agent that a command calls: its file, its name, or `undefined` for a built-in agent. */
function calledAgent({ card }: FieldContext): string | undefined {
  const { agent } = card.fields
  if (typeof agent !== 'string') return undefined
  const path = FOLDER.exec(card.path.replaceAll('\\', '/'))?.groups?.['path']
  const depth = path?.split('/').length ?? 0
  const file =
    path === undefined ? undefined : agentPath(agent, { depth, folders: ['agents', 'agent'], card })
  const maps = (card.project ?? []).flatMap(({ fields }) => AGENT_MAPS.map((key) => mappingOf(fields[key])))
  const isOwn = maps.some((agents) => isJsonObject(agents[agent] ?? null))
  return file ?? (BUILT_IN.has(agent) && !isOwn ? undefined : agent)
}

/** Card format of commands of opencode: `.opencode/commands`. */
export const opencodeCommandFormat: ReturnType<typeof createCardFormat> = createCardFormat({
  name: 'opencode-command',
  product: 'opencode commands',
  pathPatterns: ['.opencode/commands/**/*.md', '.opencode/command/**/*.md'],
  folder: /(?:^|\/)\.?opencode\/commands?\//u,
  rules: RULES,
  tools: 'all',
  acceptsUnquotedText: true,
  acceptsProse: true,
  isByPathOnly: true,
  agentsFolder: (path) => /^(?:.*\/)?\.?opencode\/commands?(?=\/|$)/u.exec(path)?.[0],
  readBody: promptOf,
  afterKeys: (field) => {
    putCommandName(FOLDER, field)
    putOpencodePermissions(field, { ofCommand: true })
    putProjectMcp(field)
    putOpencodeSettings(field)
  },
  projectFiles: opencodeProjectFiles,
  toleratesMissingParts: true,
})

function promptOf(body: string, field: FieldContext): string {
  const prompt = commandPrompt(body, field, DOLLAR_SYNTAX)
  return calledAgent(field) === undefined
    ? prompt
    : delegatedPrompt(prompt, textOf(field.card.fields['agent']))
}
