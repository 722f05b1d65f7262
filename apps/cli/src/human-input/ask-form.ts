import type { Json, JsonObject, PersonAnswer } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import { formFields, type TerminalFormField } from '../input/form.ts'
import type { PromptLine } from './prompt-line.ts'
import { showInvisible } from './show-invisible.ts'

/** Asks for each field of a form in turn. `head` is printed first. An empty line takes the default. */
export async function askForm(
  form: JsonObject,
  { head, promptLine }: { readonly head: string; readonly promptLine: PromptLine },
  signal: AbortSignal,
): Promise<PersonAnswer> {
  const values: Record<string, Json> = {}
  for (const [index, field] of formFields(form).entries()) {
    const said = await askField(field, { head: index === 0 ? head : '', promptLine }, signal)
    if (said === undefined) return { answered: false, reason: 'nobody answered' }
    if (said !== 'none') Object.defineProperty(values, field.name, { value: said.value, enumerable: true })
  }
  return { answered: true, text: JSON.stringify(values), values }
}

async function askField(
  field: TerminalFormField,
  { head, promptLine }: { readonly head: string; readonly promptLine: PromptLine },
  signal: AbortSignal,
): Promise<{ readonly value: Json } | 'none' | undefined> {
  const list = field.choices.map(({ title }, index) => `  ${index + 1}) ${showInvisible(title)}\n`).join('')
  const label = `${plainText(field.label)}${field.isRequired ? '' : ' (may be left out)'}`
  for (let text = `${head}${list}${label}> `; ; text = `Please answer with ${field.hint}: `) {
    const line = await promptLine(text, signal)
    if (line === undefined) return undefined
    const said = field.read(line)
    if (said !== undefined) return said
  }
}
