import { isJsonObject, type PersonAnswer, type Question } from '@troupe/schema'
import type { Form, FormAnswer } from './form.ts'

/** A question of a tool as a form: its own one, or one field. */
export function questionForm({ question, choices, form }: Question): Form {
  if (form !== undefined) return { message: question, schema: form }
  return {
    message: question,
    schema: {
      type: 'object',
      properties: {
        answer: { type: 'string', ...(choices === undefined ? {} : { enum: [...choices] }) },
      },
      required: ['answer'],
    },
  }
}

/** What the person said; undefined: that cannot be told, and is asked again. */
export function readAnswer(
  { form, choices }: Question,
  { action, content }: FormAnswer,
): PersonAnswer | undefined {
  if (action === 'decline') return { answered: false, reason: 'the person declined' }
  if (action === 'cancel') return { answered: false, reason: 'the person gave no answer' }
  if (form !== undefined)
    return isJsonObject(content)
      ? { answered: true, text: JSON.stringify(content), values: content }
      : undefined
  const answer = content?.['answer']
  if (typeof answer !== 'string') return undefined
  return choices === undefined || choices.includes(answer) ? { answered: true, text: answer } : undefined
}
