import { isJsonObject } from '@troupe/schema'
import type { PromptTemplate } from './parse-prompt-template.ts'
import { placeholderTarget, type PromptSubject } from './placeholder-value.ts'

/** An unknown placeholder and its position in the template. */
export interface TemplateProblem {
  /** Placeholder with its braces. */
  readonly placeholder: string
  readonly start: number
  readonly end: number
  /** All valid placeholder names, for suggestions. */
  readonly known: readonly string[]
}

/** Returns the placeholders that name neither a parameter nor the tool, in order. */
export function templateProblems(
  template: PromptTemplate,
  subject: PromptSubject,
): readonly TemplateProblem[] {
  const { properties } = subject.parameters
  const known = [
    ...(isJsonObject(properties) ? Object.keys(properties) : []),
    'tool.name',
    'tool.description',
  ]
  return template.flatMap((part) =>
    part.kind === 'text' || placeholderTarget(part.path, subject) !== undefined
      ? []
      : [{ placeholder: `{${part.path.join('.')}}`, start: part.start, end: part.end, known }],
  )
}
