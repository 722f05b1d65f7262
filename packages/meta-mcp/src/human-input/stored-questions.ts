import { inputRequired, type InputRequests } from '@modelcontextprotocol/server'
import type { ApprovalDecision, JsonObject, Question } from '@troupe/schema'
import { approvalForm, questionForm, readAnswer, readApproval, type Form, type FormAnswer } from './forms.ts'

/** A call of a stored run that waits for a person. */
export interface CallAwaitingForm {
  readonly approvalId: string
  readonly instance: string
  readonly toolName: string
  readonly args: JsonObject
  /** Question of the tool; `undefined` if only the call itself needs an approval. */
  readonly asks?: Question
  readonly reason?: string
}

/** Returns the forms of waiting calls, by their unguessable approval ids. */
export function waitingForms(calls: readonly CallAwaitingForm[]): InputRequests {
  const requests = calls.map((call) => {
    const { message, schema } = formOf(call)
    return [call.approvalId, inputRequired.elicit({ message, requestedSchema: schema as never })] as const
  })
  return Object.fromEntries(requests)
}

function formOf(call: CallAwaitingForm): Form {
  return call.asks === undefined ? approvalForm(call) : questionForm(call.asks)
}

/** Converts the answer to a form to a decision on its call; `undefined` if the answer is invalid. */
export function readWaitingAnswer(
  { asks }: CallAwaitingForm,
  said: FormAnswer,
): ApprovalDecision | undefined {
  if (asks === undefined) return readApproval(said)
  const answer = readAnswer(asks, said)
  if (answer === undefined) return undefined
  if (!answer.answered) return { decision: 'denied', reason: answer.reason }
  const { text, values } = answer
  return { decision: 'approved', answer: text, ...(values === undefined ? {} : { values }) }
}
