import type { JsonObject } from '@troupe/schema'
import type { AgentSource } from '@troupe/schema/agent-keys'
import { dirname } from 'node:path'
import type { ProblemDraft } from '../card/problem.ts'
import { sourceOf, syntaxOf } from '../file/card-syntax.ts'
import { readLooseCardText, type CardRejection, type CardText } from '../file/card-text.ts'
import { detectOtherFile } from '../file/other-files.ts'
import { readProject } from '../file/read-project.ts'
import { readSchemaFiles } from '../file/schema-files.ts'
import type { CardFormat, ParseOptions, RawCard, Translation } from '../formats/card-format.ts'
import { cardFormatNames, chooseCardFormat, type CardFormatChoice } from '../formats/choose-card-format.ts'
import { ignoredFileKeyProblems } from '../formats/troupe-aliases.ts'

const TWO_FORMATS = '`dialect` and `format` are the same key but have different values.'

/** The result for a file without agents. */
export const NO_AGENTS: CardRejection = {
  problem: {
    code: 'card_syntax',
    message: 'The file does not contain an agent.',
    fix: 'Add a prompt or a description to an agent. An entry without either only changes an agent that is defined elsewhere.',
  },
  position: { line: 1, column: 1 },
}

/** The translated agents of a file, before validation. */
export interface TranslatedAgents {
  readonly card: CardText
  readonly input: RawCard
  readonly cardFormat: CardFormat
  /** Problems with the choice of the card format. */
  readonly problems: readonly ProblemDraft[]
  readonly source: AgentSource
  /** At least one. Schema files have been read. */
  readonly translations: readonly Translation[]
}

/** Reads a file and translates its agents. */
export function readAgents(text: string, options: ParseOptions): TranslatedAgents | CardRejection {
  const { path, readText, listFiles, workspace, now, variables, entry, modelWords, formats } = options
  const card = readLooseCardText(formats?.withoutUnusedData?.(text, path) ?? text, syntaxOf(path), formats)
  if ('problem' in card) return card
  const { fields, body, positionOf } = card
  const plain: RawCard = {
    path,
    fields,
    body,
    readText,
    listFiles,
    readFields: readText && ((file, root) => readOtherFields(file, () => readText(file, root))),
    workspace,
    now,
    variables,
    entry,
    modelWords,
    formats,
    positionOf,
  }
  const choice = chooseCardFormat(plain)
  const { cardFormat } = choice
  const isByPath = choice.by === 'path'
  const other =
    choice.by === 'name'
      ? undefined
      : detectOtherFile(card, {
          path,
          isByPath,
          acceptsProse: cardFormat.acceptsProse,
          otherFiles: formats?.otherFiles,
        })
  if (other !== undefined) return { problem: other, position: card.start }
  if (card.loose !== undefined && cardFormat.acceptsUnquotedText !== true) return card.loose.strict
  const { project, problems } = readProject(projectFilesOf(cardFormat, options), options)
  const input: RawCard = { ...plain, project }
  const agents = cardFormat.several?.(input)
  const translations = agents ?? [cardFormat.translate(input)]
  if (translations.length === 0) return NO_AGENTS
  const source = sourceOf(path)
  const reader = { source, readText }
  return {
    card,
    input,
    cardFormat,
    problems: [
      ...checkFormatKeys(input, choice),
      ...assumedFormatProblems(choice, translations),
      ...(agents === undefined ? [] : ignoredFileKeyProblems(cardFormat, input)),
    ],
    source,
    translations: translations.map((translation) =>
      reportQuotedValues(
        addProjectProblems(readSchemaFiles(translation, reader), problems),
        card,
        cardFormat,
      ),
    ),
  }
}

/** Returns the keys of another card; `undefined` if it cannot be read or has no front matter. */
function readOtherFields(path: string, read: () => string): JsonObject | undefined {
  try {
    const card = readLooseCardText(read(), syntaxOf(path))
    return 'problem' in card || card.isProse === true ? undefined : card.fields
  } catch {
    // The card is reported where it is read itself.
    return undefined
  }
}

function projectFilesOf(
  { projectFiles }: CardFormat,
  { path, realPath, listFiles, workspace = dirname(path), home, variables }: ParseOptions,
): readonly string[] {
  if (projectFiles === undefined) return []
  const paths = [path, realPath?.() ?? path].map((each) => each.replaceAll('\\', '/'))
  return [...new Set(paths.flatMap((each) => projectFiles(each, { workspace, home, listFiles, variables })))]
}

/**
 * Adds the problems of project settings to an agent, because a rule that cannot be read might restrict it.
 */
function addProjectProblems(translation: Translation, problems: readonly ProblemDraft[]): Translation {
  return problems.length === 0
    ? translation
    : { ...translation, problems: [...translation.problems, ...problems] }
}

/** Reports values that were read as if they were quoted. */
function reportQuotedValues(
  translation: Translation,
  { loose }: CardText,
  { product }: CardFormat,
): Translation {
  if (loose === undefined) return translation
  const note = {
    key: '(front matter)',
    status: 'translated',
    to: `${loose.keys.join(', ')} in quotes`,
    reason: `${product} reads it without quotes, but it is not valid YAML`,
  } as const
  return { ...translation, report: [note, ...translation.report] }
}

/**
 * Checks that `dialect` and `format` name one card format. Other products may have a `format` key of their
 * own.
 */
function checkFormatKeys(card: RawCard, { by, cardFormat }: CardFormatChoice): readonly ProblemDraft[] {
  const { fields } = card
  const { dialect: name, format } = fields
  if (name !== undefined && format !== undefined && name !== format)
    return [{ code: 'card_alias_conflict', message: TWO_FORMATS, at: ['format'] }]
  const isOther = by !== 'name' && (typeof name === 'string' || cardFormat.name === 'troupe')
  const [key, unknown] = name === undefined ? (['format', format] as const) : (['dialect', name] as const)
  if (!isOther || typeof unknown !== 'string') return []
  const message = `Unknown dialect \`${unknown}\`. Known: ${cardFormatNames(card).join(', ')}.`
  return [{ code: 'card_unknown_dialect', message, at: [key] }]
}

/**
 * Warns if the card format was assumed from values alone, or if it grants tools that the file does not list.
 */
function assumedFormatProblems(
  { by, cardFormat, alternative }: CardFormatChoice,
  translations: readonly Translation[],
): readonly ProblemDraft[] {
  const isOpen = by === 'keys' && translations.some(({ grantsUnlistedTools }) => grantsUnlistedTools === true)
  const warning = { severity: 'warning', code: 'card_format_assumed' } as const
  if (by === 'values' || isOpen)
    return [
      {
        ...warning,
        message: `The file is read as a ${cardFormat.product} card, because its keys and values match that format.${isOpen ? ' Agents in that format get the file system and the shell unless they list their tools.' : ''}`,
        fix: `Write \`dialect: ${cardFormat.name}\` to confirm this, or \`dialect: troupe\` if it is a Troupe card.`,
      },
    ]
  if (alternative === undefined) return []
  return [
    {
      ...warning,
      message: `The file is read as a Troupe card. It could also be a ${alternative.product} card, which would give the agent tools that it does not have as a Troupe card.`,
      fix: `Write \`dialect: ${alternative.name}\` if it is a ${alternative.product} card, or \`dialect: troupe\` if it is a Troupe card.`,
    },
  ]
}
