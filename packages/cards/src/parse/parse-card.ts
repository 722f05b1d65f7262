import type { AgentDefinition, JsonObject } from '@troupe/schema'
import { AGENT_TYPES, toDefinition } from '@troupe/schema/agent-keys'
import type { CardProblem, ParsedCard, Phrase } from '../card/card-types.ts'
import { quotedPath, toProblem, type FieldPath, type ProblemDraft } from '../card/problem.ts'
import { shortDurations } from '../fields/short-durations.ts'
import { stemOf } from '../file/card-syntax.ts'
import type { CardText, FileRejection } from '../file/card-text.ts'
import type { CardFormat, ParseOptions, Translation } from '../formats/card-format.ts'
import { cardFormatOfFile } from '../formats/choose-card-format.ts'
import { originOf } from '../formats/rewriter.ts'
import { checkFields } from './check-fields.ts'
import { NO_AGENTS, readAgents, type TranslatedAgents } from './read-agents.ts'

const NO_PROBLEMS: readonly CardProblem[] = Object.freeze([])
const NO_DESCRIPTION: ProblemDraft = Object.freeze({
  severity: 'warning',
  code: 'card_no_description',
  message: "The card has no `description`: a parent's model reads the start of its prompt instead.",
})

/**
 * Parses a card into a definition or its problems. If the file holds several agents, returns the first. Pure
 * except for the functions in `options`; never throws.
 */
export function parseCard(text: string, options: ParseOptions): ParsedCard {
  const [first] = parseCards(text, options)
  return first ?? rejectCard(NO_AGENTS, options)
}

/** Parses all agents of a file; some card formats allow several. Returns at least one card. */
export function parseCards(text: string, options: ParseOptions): readonly ParsedCard[] {
  const agents = readAgents(text, options)
  if ('problem' in agents) return [rejectCard(agents, options, looksLikeDefault(text))]
  return agents.translations.map((translation) => parseAgent(agents, translation))
}

function parseAgent(
  { card, input, cardFormat, problems, source }: TranslatedAgents,
  translation: Translation,
): ParsedCard {
  const { path } = input
  const named = nameCard(translation, path)
  const checked = checkFields(named.translation, cardFormat)
  const { instruction, problem } = readInstruction(translation, card, cardFormat)
  const drafts = [...problems, ...translation.problems]
  for (const draft of checked.problems) drafts.push(named.explain(draft))
  // An agent that cannot run at all, such as a remote one, needs no prompt.
  const isUnsupported = translation.problems.some(({ code }) => code === 'card_unsupported')
  if (problem !== undefined && !isUnsupported) drafts.push(problem)
  if (isBlank(translation.fields['description'])) drafts.push(NO_DESCRIPTION)
  if (cardFormat.extendsTroupe) drafts.push(...durationsWithoutUnit(translation))
  const hasError = drafts.some((draft) => draft.severity !== 'warning')
  const fields = hasError ? undefined : checked.fields
  const name = fields?.name ?? ''
  return finish(card, {
    path,
    dialect: cardFormat,
    drafts,
    translation,
    definition: fields && toDefinition({ ...fields, name, instruction }, source),
  })
}

/** Creates the result for a file that is not a card. */
export function rejectCard(
  { problem, position }: FileRejection,
  { path, formats }: Pick<ParseOptions, 'path' | 'formats'>,
  isDefault = false,
): ParsedCard {
  return Object.freeze({
    path,
    problems: Object.freeze([toProblem(problem, path, position)]),
    dialect: cardFormatOfFile(path, formats),
    report: Object.freeze([]),
    isDefault,
    positionOf: () => undefined,
  })
}

function finish(
  card: CardText,
  parsed: {
    readonly path: string
    readonly dialect: CardFormat
    readonly drafts: readonly ProblemDraft[]
    readonly translation: Translation
    readonly definition: AgentDefinition | undefined
  },
): ParsedCard {
  // Keep references only to what must live as long as the card.
  const { at = [], origins, providers } = parsed.translation
  const { positionOf } = card
  return Object.freeze({
    path: parsed.path,
    ...(parsed.definition === undefined ? {} : { definition: parsed.definition }),
    problems: locateAll(parsed, card),
    dialect: parsed.dialect.name,
    report: Object.freeze(parsed.translation.report),
    ...(providers === undefined ? {} : { providers }),
    isDefault: parsed.translation.fields['default'] === true,
    positionOf: (path: FieldPath, phrase?: Phrase) => positionOf([...at, ...originOf(origins, path)], phrase),
  })
}

function locateAll(
  {
    drafts,
    path,
    translation,
  }: { readonly drafts: readonly ProblemDraft[]; readonly path: string; readonly translation: Translation },
  card: CardText,
): readonly CardProblem[] {
  if (drafts.length === 0) return NO_PROBLEMS
  const at = translation.at ?? []
  const problems = drafts.map((draft) => {
    const position =
      draft.at === undefined && at.length === 0 ? undefined : card.positionOf([...at, ...(draft.at ?? [])])
    return toProblem(draft, path, position ?? card.start)
  })
  return Object.freeze(problems.toSorted(byPosition))
}

function byPosition(a: CardProblem, b: CardProblem): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)
}

/** Names an agent without `name` after its file, and adjusts the message if that name is invalid. */
function nameCard(
  translation: Translation,
  path: string,
): { readonly translation: Translation; explain(draft: ProblemDraft): ProblemDraft } {
  if (translation.fields['name'] !== undefined) return { translation, explain: (draft) => draft }
  const name = stemOf(path)
  return {
    translation: { ...translation, fields: { ...translation.fields, name } },
    explain: (draft) =>
      draft.at?.[0] === 'name'
        ? {
            ...draft,
            message: `The file name results in the agent name "${name}", which is not valid.`,
            fix: 'Set `name` in the card, or rename the file.',
          }
        : draft,
  }
}

/** Returns the prompt: the body, or `instruction` if there is none. Surrounding blank lines are removed. */
function readInstruction(
  { fields, body: changed }: Translation,
  card: CardText,
  cardFormat: CardFormat,
): { readonly instruction: string; readonly problem?: ProblemDraft } {
  const written = fields['instruction']
  const body = trimPrompt(changed ?? card.body ?? '')
  const instruction = trimPrompt(typeof written === 'string' ? written : '')
  if (body !== '' && written !== undefined && written !== null) {
    const message = 'The card has both a body and `instruction`, so its prompt is ambiguous.'
    return { instruction, problem: { code: 'card_two_instructions', message, at: ['instruction'] } }
  }
  if (body !== '' || instruction !== '') return { instruction: body || instruction }
  if (isComposition(fields['type'])) return { instruction }
  return fallbackPrompt(fields, cardFormat)
}

/** Uses the description as the prompt, as other products do, or reports that there is no prompt. */
function fallbackPrompt(
  { description }: JsonObject,
  cardFormat: CardFormat,
): { readonly instruction: string; readonly problem: ProblemDraft } {
  const draft = { code: 'card_no_instruction', at: ['instruction'] } as const
  if (cardFormat.name === 'troupe' || typeof description !== 'string' || description.trim() === '')
    return { instruction: '', problem: { ...draft, message: 'The card has no prompt.' } }
  const message = 'The card has no prompt; its description is used instead.'
  return { instruction: trimPrompt(description), problem: { ...draft, message, severity: 'warning' } }
}

/** Returns true for types that combine other agents and need no prompt. */
function isComposition(type: unknown): boolean {
  return type !== 'agent' && AGENT_TYPES.some((known) => known === type)
}

function trimPrompt(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/u, '').trimEnd()
}

/** Warns of durations that probably lack a unit. Aliases such as `child_timeout_sec` include it. */
function durationsWithoutUnit({ fields, origins }: Translation): readonly ProblemDraft[] {
  const { limits = {}, mcpServers = {}, exports = {} } = fields
  return shortDurations({ limits, mcpServers, exports }).flatMap(({ path, message, fix }) => {
    const at = originOf(origins, path)
    if (/sec$/iu.test(String(at.at(-1)))) return []
    return [
      {
        severity: 'warning',
        code: 'duration_unit',
        message: `${quotedPath(at)}: ${message}.`,
        at,
        fix,
      },
    ]
  })
}

function isBlank(description: unknown): boolean {
  return description === undefined || description === ''
}

const FENCE = /^---(?:ya?ml)?[ \t]*$/u
/** Allows the indentation of JSON. Lines indented further belong to schemas. */
const DEFAULT = /^(?:default|'default'| {0,2}"default")[ \t]*:[ \t]*true[ \t]*(?:,|#.*)?$/u

/**
 * Returns true if a text that cannot be parsed seems to say `default: true` at its top level, or in its front
 * matter if it has any. This keeps another card from being run instead of the intended one.
 */
export function looksLikeDefault(text: string): boolean {
  if (!text.includes('default')) return false
  const lines = text.split(/\r?\n/u)
  const opened = lines.findIndex((line) => FENCE.test(line.replace(/^\uFEFF/u, '')))
  const closed = lines.findIndex((line, index) => opened !== -1 && index > opened && FENCE.test(line))
  const end = closed === -1 ? lines.length : closed
  return lines.slice(opened + 1, end).some((line) => DEFAULT.test(line))
}
