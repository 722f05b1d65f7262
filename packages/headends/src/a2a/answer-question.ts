import type { Message, Part } from '@a2a-js/sdk'
import type { OpenQuestion } from '../human-input/run-questions.ts'
import { readAnswer, readDecision } from '../human-input/read-decision.ts'
import { messageData, messageText } from './read-message.ts'
import { dataPart, textPart } from './task-parts.ts'

/** Converts a question to a text part and a data part. */
export function questionParts(openQuestion: OpenQuestion): readonly Part[] {
  const { agent, toolName } = openQuestion
  if (openQuestion.kind === 'approval') {
    const { id: approvalId, args, reason } = openQuestion
    return [
      textPart(`${agent} wants to call ${toolName}. Answer approve or deny.`),
      dataPart({ approvalId, agent, toolName, args, ...(reason === undefined ? {} : { reason }) }),
    ]
  }
  const { id: questionId, question, choices, form } = openQuestion
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
  const openQuestion = named === undefined ? open[0] : open.find(({ id }) => id === named)
  if (openQuestion === undefined) return false
  const given = data ?? messageText(message)
  if (openQuestion.kind === 'approval') return settle(openQuestion, readDecision(given))
  return settle(openQuestion, readAnswer(given))
}

function settle<Answer>(openQuestion: { settle(answer: Answer): void }, answer: Answer | undefined): boolean {
  if (answer === undefined) return false
  openQuestion.settle(answer)
  return true
}
