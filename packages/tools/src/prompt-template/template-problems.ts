import { isJsonObject } from '@troupe/schema'
import type { PromptTemplate } from './parse-prompt-template.ts'
import { placeholderTarget, type PromptSubject } from './placeholder-value.ts'

/** A placeholder that names nothing, with where it stands in the template. */
export interface TemplateProblem {
  /** As it is written, with its braces. */
  readonly placeholder: string
  readonly start: number
  readonly end: number
  /** What could have been meant: every name that a placeholder may have. */
  readonly known: readonly string[]
}

/** The placeholders of a template that name neither a parameter nor the tool, in order (R15: a load error in our cards). */
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
