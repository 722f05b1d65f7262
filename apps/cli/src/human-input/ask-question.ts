import { matchChoice, type Asker, type Json, type JsonObject, type PersonAnswer } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import { showInvisible, type PromptLine } from './prompt-line.ts'
import type { Style } from '../terminal/style.ts'
import { formFields, type TerminalFormField } from '../input/form.ts'

/**
 * Creates an asker for the terminal. With choices, accepts a number or the text of a choice and repeats the
 * question otherwise.
 */
export function createAsker(promptLine: PromptLine, style: Style): Asker {
  return async ({ instance, question, choices = [], form }, signal) => {
    if (form !== undefined) {
      const head = `${style.bold(plainText(instance))} asks: ${showInvisible(question)}\n`
      return askForm(form, { head, promptLine }, signal)
    }
    const list = choices.map((choice, index) => `  ${index + 1}) ${showInvisible(choice)}\n`).join('')
    const head = `${style.bold(plainText(instance))} asks: ${showInvisible(question)}\n${list}`
    for (let text = `${head}> `; ; text = `Please answer with 1 to ${choices.length}: `) {
      const answer = await promptLine(text, signal)
      if (answer === undefined) return { answered: false, reason: 'nobody answered' }
      const said = matchChoice({ question, choices }, answer)
      if (said !== undefined) return { answered: true, text: said }
    }
  }
}

/** Asks for each field of a form in turn. `head` is printed first. An empty line takes the default. */
async function askForm(
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
