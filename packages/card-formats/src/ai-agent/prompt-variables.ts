import type { FieldContext, ProjectSettings } from '@troupe/cards/formats'
import { mappingOf, textOf } from '../rules/field-rule.ts'
import { limitOf } from './put-defaults.ts'

const VARIABLE = /\$\{(?<name>FORMAT|DATETIME|TIMESTAMP|TIMEZONE|DAY|MAX_TURNS|MAX_TOOLS)\}/gu
type VariableName = 'FORMAT' | 'DATETIME' | 'TIMESTAMP' | 'TIMEZONE' | 'DAY' | 'MAX_TURNS' | 'MAX_TOOLS'

/** Markers in newer prompts whose values ai-agent sends with each turn. */
const TURN_MARKER = /\bXML-NEXT\.[A-Z]/u

const FORMATS: ReadonlyMap<string, string> = new Map([
  ['json', 'JSON'],
  ['text', 'plain text'],
])

/**
 * Replaces the variables of ai-agent. The date is that of loading the card, without the time, so that a team
 * stays the same for a day. Without a date, its variables stay.
 */
export function fillVariables(body: string, layers: readonly ProjectSettings[], field: FieldContext): string {
  const { rewriter } = field
  const values = valuesOf(layers, field)
  const found = new Set<string>()
  const left = new Set<string>()
  const text = body.replaceAll(VARIABLE, (written, name: VariableName) => {
    const value = values[name]
    if (value === undefined) left.add(name)
    else found.add(name)
    return value ?? written
  })
  if (left.size > 0)
    rewriter.note({
      key: `(prompt) ${namesOf(left)}`,
      status: 'ignored',
      reason: 'it stays in the prompt, because a card has no date of its own',
    })
  if (found.size > 0)
    rewriter.note({
      key: `(prompt) ${namesOf(found)}`,
      status: 'translated',
      to: 'instruction',
      reason: 'a date is that of loading the card',
    })
  if (!TURN_MARKER.test(text)) return text
  rewriter.note({
    key: '(prompt) XML-NEXT',
    status: 'translated',
    to: 'instruction',
    reason: 'a block with date, format and limits follows the prompt',
  })
  return `${text.trimEnd()}\n\n${turnBlock(values)}\n`
}

function namesOf(variables: ReadonlySet<string>): string {
  return [...variables].map((name) => `\${${name}}`).join(', ')
}

function valuesOf(
  layers: readonly ProjectSettings[],
  field: FieldContext,
): Readonly<Partial<Record<VariableName, string>>> {
  const output = mappingOf(field.card.fields['output'])
  return {
    FORMAT: FORMATS.get(textOf(output['format'])) ?? 'Markdown',
    MAX_TURNS: textOf(limitOf('maxTurns', layers, field)),
    MAX_TOOLS: textOf(limitOf('maxToolCallsPerTurn', layers, field)),
    TIMEZONE: 'UTC',
    ...(field.card.now === undefined ? {} : dateValues(field.card.now)),
  }
}

function dateValues(now: Date): Readonly<Partial<Record<VariableName, string>>> {
  const [date = ''] = now.toISOString().split('T', 1)
  const today = new Date(`${date}T00:00:00Z`)
  return {
    DATETIME: date,
    TIMESTAMP: String(today.getTime() / 1000),
    DAY: today.toLocaleDateString('en-US', { weekday: 'long', timeZone: 'UTC' }),
  }
}

function turnBlock({ DATETIME, DAY, FORMAT = '', MAX_TURNS = '' }: ReturnType<typeof valuesOf>): string {
  return [
    ...(DATETIME === undefined ? [] : [`Date: ${DATETIME} (${DAY ?? ''}), time zone UTC`]),
    `Format of the answer: ${FORMAT}`,
    `Turns with tool calls: at most ${MAX_TURNS}`,
  ].join('\n')
}
