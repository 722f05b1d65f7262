import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { PromptTemplate, TemplatePart } from './parse-prompt-template.ts'
import { placeholderTarget, valueAt, type PromptSubject } from './placeholder-value.ts'

/** `run`: what the agent gets; `preview`: what a person sees while the arguments are being written. */
export type FillMode = 'run' | 'preview'

/**
 * The prompt of one call (R15), filled in a single pass: what is put in is not read again. Defaults of the parameters are put in first. Text
 * stands as it is, all else as JSON. What has no value is empty in a run; in a preview it and empty text stay `{placeholder}` (D46). A
 * placeholder that names nothing stays as it is written.
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

/** The arguments with the defaults of the properties that they leave out, those inside objects too. */
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
