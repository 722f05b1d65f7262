import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { PromptTemplate, TemplatePart } from './parse-prompt-template.ts'
import { placeholderTarget, valueAt, type PromptSubject } from './placeholder-value.ts'

/** `run` fills a prompt for the agent, `preview` for a person who is still entering arguments. */
export type FillMode = 'run' | 'preview'

/**
 * Fills a template with the arguments of a call and the defaults of its parameters. Inserts text unchanged
 * and other values as JSON, and does not scan inserted text again. Missing values become empty; in a preview,
 * missing and empty values remain `{placeholder}`. Unknown placeholders remain unchanged.
 */
export function fillPromptTemplate(
  template: PromptTemplate,
  call: { readonly subject: PromptSubject; readonly args: JsonObject; readonly mode: FillMode },
): string {
  const values = withDefaults(call.subject.parameters, call.args)
  return template
    .map((part) => (part.kind === 'text' ? part.text : fillPlaceholder(part, { ...call, args: values })))
    .join('')
}

function fillPlaceholder(
  { path }: Extract<TemplatePart, { readonly kind: 'placeholder' }>,
  {
    subject,
    args,
    mode,
  }: { readonly subject: PromptSubject; readonly args: JsonObject; readonly mode: FillMode },
): string {
  const written = `{${path.join('.')}}`
  const target = placeholderTarget(path, subject)
  if (target === undefined) return written
  if (target.from === 'tool') return target.text
  const text = toText(valueAt(target.path, args))
  return text === '' && mode === 'preview' ? written : text
}

function toText(value: Json | undefined): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Returns the arguments with defaults for missing properties, including nested ones. */
function withDefaults(schema: JsonObject, args: JsonObject): JsonObject {
  const { properties } = schema
  if (!isJsonObject(properties)) return args
  const filled = Object.entries(properties).flatMap(([name, property]): readonly [string, Json][] => {
    const value = getOwn(args, name) ?? (isJsonObject(property) ? property['default'] : undefined)
    if (value === undefined) return []
    return [[name, isJsonObject(value) && isJsonObject(property) ? withDefaults(property, value) : value]]
  })
  return filled.length === 0 ? args : Object.fromEntries([...Object.entries(args), ...filled])
}
