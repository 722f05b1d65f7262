import { geminiProductTools } from './gemini.ts'
import { geminiProjectFiles, putGeminiSettings } from './gemini-settings.ts'
import { keep, mappingOf, rule, textOf, type FieldRules } from '../rules/field-rule.ts'
import { commandPrompt, putCommandName, type CommandSyntax } from '../rules/command-prompt.ts'
import { createCardFormat } from '../rules/create-card-format.ts'

const PATH = /(?:^|\/)\.gemini\/commands\/(?<path>.+)\.toml$/u
const SYNTAX: CommandSyntax = {
  input: /\{\{args\}\}/u,
  explainInput:
    'In the text above, `{{args}}` stands for the whole input. Inside a command, quote it for the shell.',
  shell: /!\{[^\n]/u,
  shellForm: '!{command}',
  file: /@\{(?<path>[^{}\n]+)\}/gu,
  filesIn: 'workspace',
  namesOnlyFiles: true,
}

const RULES: FieldRules = {
  description: keep(),
  prompt: rule(
    { status: 'translated', to: 'instruction', reason: '{{args}}, !{…} and @{…} are explained or appended' },
    (value, field) => {
      field.rewriter.put(['instruction'], commandPrompt(textOf(value), field, SYNTAX), field.from)
      return undefined
    },
  ),
}

/** Card format of commands of Gemini CLI: `.gemini/commands`. */
export const geminiCommandFormat: ReturnType<typeof createCardFormat> = createCardFormat({
  name: 'gemini-command',
  product: 'Gemini CLI commands',
  pathPatterns: ['.gemini/commands/**/*.toml'],
  folder: PATH,
  agentsFolder: (path) => /^(?:.*\/)?\.gemini\/commands(?=\/|$)/u.exec(path)?.[0],
  rules: RULES,
  tools: 'all',
  isByPathOnly: true,
  afterKeys: (field) => {
    putCommandName(PATH, field)
    const servers = (field.card.project ?? []).flatMap(({ fields }) =>
      Object.keys(mappingOf(fields['mcpServers'])),
    )
    putGeminiSettings(geminiProductTools(servers), field)
  },
  projectFiles: geminiProjectFiles,
  toleratesMissingParts: true,
})
