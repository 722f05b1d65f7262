import { isJsonObject, type PersonAnswer, type Question } from '@troupe/schema'
import type { Form, FormAnswer } from './form.ts'

/** Creates the form for a question: its own form, or a single field. */
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

/** Returns the answer of the person; `undefined` if the response is invalid and the question is repeated. */
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
