import { addToList, modelOfAlias, type FieldContext } from '@troupe/cards/formats'
import { commandPrompt } from '../rules/command-prompt.ts'
import { effortRule, modelRule } from '../rules/common-rules.ts'
import { createCardFormat } from '../rules/create-card-format.ts'
import { drop, ignored, keep, rule, type FieldRules } from '../rules/field-rule.ts'
import { opencodeProjectFiles, putOpencodePermissions } from './opencode-permissions.ts'
import { putProjectMcp } from './opencode-tools.ts'

const FOLDER = /(?:^|\/)\.?opencode\/commands?\/(?<path>.+)\.md$/u

const RULES: FieldRules = {
  description: keep(),
  model: modelRule(modelOfAlias, 'model ids have the same form, provider/name'),
  variant: effortRule(),
  agent: rule(
    { status: 'translated', to: 'agents', reason: 'the command calls the agent and has no other tools' },
    (value, { rewriter, grant, from }) => {
      if (typeof value !== 'string') return ignored('it is not a name')
      addToList(rewriter, { to: ['agents'], values: [value], from })
      grant.limit()
      return undefined
    },
  ),
  subtask: drop('a command always has its own conversation'),
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
  readBody: (body, field) => {
    const { agent } = field.card.fields
    const prompt = commandPrompt(body, field)
    return typeof agent === 'string'
      ? `Let the agent ${agent} do the following, and return its answer unchanged.\n\n${prompt}`
      : prompt
  },
  afterKeys: (field) => {
    putName(field)
    putOpencodePermissions(field)
    putProjectMcp(field)
  },
  projectFiles: opencodeProjectFiles,
  toleratesMissingParts: true,
})

/** Names a command `command:git:commit`, so that an agent may have the same name. */
function putName({ rewriter, card }: FieldContext): void {
  const path = FOLDER.exec(card.path.replaceAll('\\', '/'))?.groups?.['path']
  if (path !== undefined) rewriter.put(['name'], `command:${path.replaceAll('/', ':')}`, ['name'])
}
