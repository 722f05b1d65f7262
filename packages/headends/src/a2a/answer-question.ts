import type { Message, Part } from '@a2a-js/sdk'
import type { OpenQuestion } from '../person/open-questions.ts'
import { readAnswer, readDecision } from '../person/read-decision.ts'
import { messageData, messageText } from './read-message.ts'
import { dataPart, textPart } from './task-parts.ts'

/** Converts a question to a text part and a data part. */
export function questionParts(asked: OpenQuestion): readonly Part[] {
  const { agent, toolName } = asked
  if (asked.kind === 'approval') {
    const { id: approvalId, args, reason } = asked
    return [
      textPart(`${agent} wants to call ${toolName}. Answer approve or deny.`),
      dataPart({ approvalId, agent, toolName, args, ...(reason === undefined ? {} : { reason }) }),
    ]
  }
  const { id: questionId, question, choices, form } = asked
  const more = { ...(choices === undefined ? {} : { choices }), ...(form === undefined ? {} : { form }) }
  return [textPart(question), dataPart({ questionId, agent, toolName, question, ...more })]
}

/**
 * Passes a message to the question that it names, otherwise to the first one. Returns false if it is not an
 * answer to that question.
 */
export function answerQuestion(open: readonly OpenQuestion[], message: Message): boolean {
  const data = messageData(message)
  const named = data?.['approvalId'] ?? data?.['questionId']
  const asked = named === undefined ? open[0] : open.find(({ id }) => id === named)
  if (asked === undefined) return false
  const given = data ?? messageText(message)
  if (asked.kind === 'approval') return settle(asked, readDecision(given))
  return settle(asked, readAnswer(given))
}

function settle<Answer>(asked: { settle(answer: Answer): void }, answer: Answer | undefined): boolean {
  if (answer === undefined) return false
  asked.settle(answer)
  return true
}
