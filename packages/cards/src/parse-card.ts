import { AGENT_TYPES, toDefinition, type AgentDefinition, type JsonObject } from '@troupe/schema'
import { formOf, sourceOf, stemOf } from './card-form.ts'
import { readCardText, type CardText, type NoCard } from './card-text.ts'
import type { CardProblem, ParseOptions, ParsedCard } from './card-types.ts'
import { checkFields } from './check-fields.ts'
import { chooseDialect, dialectNames, unknownDialect } from './dialects/choose-dialect.ts'
import type { Dialect, DialectInput, Translation } from './dialects/dialect.ts'
import { originOf } from './dialects/rewriter.ts'
import { toProblem, type ProblemDraft } from './problem.ts'
import type { FieldPath } from './field-path.ts'
import { readSchemaFiles } from './schema-files.ts'

const DEFAULT_DIALECT = 'troupe'
const NO_PROBLEMS: readonly CardProblem[] = Object.freeze([])
const NO_DESCRIPTION: ProblemDraft = Object.freeze({
  severity: 'warning',
  code: 'card_no_description',
  message: 'The card has no `description`: the model of a parent reads the start of its prompt instead.',
})

/** Turns the text of a card into a definition, or into everything that is wrong with it. Pure but for `readText`; never throws. */
export function parseCard(text: string, options: ParseOptions): ParsedCard {
  const { path } = options
  const card = readCardText(text, formOf(path))
  if ('problem' in card) return rejectCard(card, path)
  const input: DialectInput = { path, fields: card.fields, body: card.body }
  const dialect = chooseDialect(input)
  const source = sourceOf(path)
  const translation = readSchemaFiles(dialect.translate(input), { source, readText: options.readText })
  const named = nameCard(translation, path)
  const checked = checkFields(named.translation, dialect)
  const { instruction, problem } = readInstruction(card, translation.fields)
  const drafts = [...checkDialect(input), ...translation.problems]
  for (const draft of checked.problems) drafts.push(named.explain(draft))
  if (problem !== undefined) drafts.push(problem)
  if (isBlank(translation.fields['description'])) drafts.push(NO_DESCRIPTION)
  const hasError = drafts.some((draft) => draft.severity !== 'warning')
  const fields = hasError ? undefined : checked.fields
  const name = fields?.name ?? ''
  return finish(card, {
    path,
    dialect,
    drafts,
    translation,
    definition: fields && toDefinition({ ...fields, name, instruction }, source),
  })
}

/** A file that is no card at all, with the one reason. */
export function rejectCard({ problem, position }: NoCard, path: string): ParsedCard {
  return Object.freeze({
    path,
    problems: Object.freeze([toProblem(problem, path, position)]),
    dialect: DEFAULT_DIALECT,
    report: Object.freeze([]),
    positionOf: () => undefined,
  })
}

function finish(
  card: CardText,
  parsed: {
    readonly path: string
    readonly dialect: Dialect
    readonly drafts: readonly ProblemDraft[]
    readonly translation: Translation
    readonly definition: AgentDefinition | undefined
  },
): ParsedCard {
  return Object.freeze({
    path: parsed.path,
    ...(parsed.definition === undefined ? {} : { definition: parsed.definition }),
    problems: locateAll(parsed.drafts, card, parsed.path),
    dialect: parsed.dialect.name,
    report: Object.freeze(parsed.translation.report),
    positionOf: (path: FieldPath) => card.positionOf(originOf(parsed.translation.origins, path)),
  })
}

function locateAll(drafts: readonly ProblemDraft[], card: CardText, file: string): readonly CardProblem[] {
  if (drafts.length === 0) return NO_PROBLEMS
  return Object.freeze(drafts.map((draft) => locate(draft, card, file)).toSorted(byPosition))
}

function locate(draft: ProblemDraft, card: CardText, file: string): CardProblem {
  const position = draft.at === undefined ? undefined : card.positionOf(draft.at)
  return toProblem(draft, file, position ?? card.start)
}

function byPosition(a: CardProblem, b: CardProblem): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)
}

/** A card without a name is named after its file; that name must be one that an agent may have. */
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
            message: `The file name makes the name "${name}", which an agent cannot have.`,
            fix: 'Set `name` in the card, or rename the file.',
          }
        : draft,
  }
}

/** The prompt: the body, or `instruction` where there is none. Blank lines around it do not count. */
function readInstruction(
  card: CardText,
  fields: JsonObject,
): { readonly instruction: string; readonly problem?: ProblemDraft } {
  const written = fields['instruction']
  const body = trimPrompt(card.body ?? '')
  const instruction = trimPrompt(typeof written === 'string' ? written : '')
  if (body !== '' && written !== undefined && written !== null) {
    const message = 'The card has a body and `instruction`; which one is the prompt?'
    return { instruction, problem: { code: 'card_two_instructions', message, at: ['instruction'] } }
  }
  if (body !== '' || instruction !== '') return { instruction: body || instruction }
  if (isComposition(fields['type'])) return { instruction }
  const message = 'The card has no prompt.'
  return { instruction, problem: { code: 'card_no_instruction', message, at: ['instruction'] } }
}

/** What an agent made of other agents does is said by its type. */
function isComposition(type: unknown): boolean {
  return type !== 'agent' && AGENT_TYPES.some((known) => known === type)
}

function trimPrompt(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/u, '').trimEnd()
}

function checkDialect(input: DialectInput): readonly ProblemDraft[] {
  const name = unknownDialect(input)
  if (name === undefined) return []
  const message = `There is no dialect \`${name}\`; known: ${dialectNames().join(', ')}.`
  return [{ code: 'card_unknown_dialect', message, at: ['dialect'] }]
}

function isBlank(description: unknown): boolean {
  return description === undefined || description === ''
}
