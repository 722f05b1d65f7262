import type { Message, Part } from '@a2a-js/sdk'
import {
  isJsonObject,
  type ApprovalDecision,
  type Approver,
  type Asker,
  type PersonAnswer,
} from '@troupe/schema'
import { messageData, messageText } from './read-message.ts'
import { dataPart, textPart } from './task-parts.ts'

/** What a run asks a person, as long as nobody has answered. */
interface OpenQuestion {
  readonly parts: readonly Part[]
  /** False: the message is no answer to this. */
  take(message: Message): boolean
}

/** What the runs of a task ask whoever sent it: its calls that need an approval, and the questions of its tools. */
export interface OpenQuestions {
  readonly approve: Approver
  readonly ask: Asker
  /** What is asked first, for whoever is to answer; undefined: nothing is. */
  first(): readonly Part[] | undefined
  /** Gives an answer to what it names, else to what is asked first; false: it answers nothing. */
  answer(message: Message): boolean
}

const YES = new Set(['yes', 'y', 'ok', 'approve', 'approved'])
const NO = new Set(['no', 'n', 'deny', 'denied', 'reject', 'rejected'])

/** No question is open. `changed` is called when one is asked, answered or given up. */
export function createOpenQuestions(changed: () => void): OpenQuestions {
  const open = new Map<string, OpenQuestion>()
  let count = 0

  function put<Answer>({ id, parts, read, givenUp }: Asked<Answer>, signal: AbortSignal): Promise<Answer> {
    if (signal.aborted) return Promise.resolve(givenUp)
    return new Promise((resolve) => {
      const settle = (answer: Answer): void => {
        signal.removeEventListener('abort', giveUp)
        open.delete(id)
        resolve(answer)
        changed()
      }
      const giveUp = (): void => settle(givenUp)
      signal.addEventListener('abort', giveUp, { once: true })
      open.set(id, {
        parts,
        take(message) {
          const answer = read(message)
          if (answer === undefined) return false
          settle(answer)
          return true
        },
      })
      changed()
    })
  }

  return {
    approve: ({ approvalId, agent, toolName, args, reason }, signal) =>
      put<ApprovalDecision>(
        {
          id: approvalId,
          parts: [
            textPart(`${agent} wants to call ${toolName}. Answer approve or deny.`),
            dataPart({ approvalId, agent, toolName, args, ...(reason === undefined ? {} : { reason }) }),
          ],
          read: readDecision,
          givenUp: { decision: 'denied', reason: 'Nobody answered.' },
        },
        signal,
      ),
    ask({ question, choices, form, agent, toolName }, signal) {
      count += 1
      const questionId = `question-${count}`
      const more = { ...(choices === undefined ? {} : { choices }), ...(form === undefined ? {} : { form }) }
      return put<PersonAnswer>(
        {
          id: questionId,
          parts: [textPart(question), dataPart({ questionId, agent, toolName, question, ...more })],
          read: readAnswer,
          givenUp: { answered: false, reason: 'Nobody answered.' },
        },
        signal,
      )
    },
    first: () => open.values().next().value?.parts,
    answer(message) {
      const { approvalId, questionId } = messageData(message) ?? {}
      const named = approvalId ?? questionId
      const question = typeof named === 'string' ? open.get(named) : open.values().next().value
      return question?.take(message) ?? false
    },
  }
}

/** A question, and how its answer is read. */
interface Asked<Answer> {
  readonly id: string
  readonly parts: readonly Part[]
  read(message: Message): Answer | undefined
  readonly givenUp: Answer
}

/** A decision in data, `{approvalId, decision, reason?}`, or in one clear word: what is not clear approves nothing. */
function readDecision(message: Message): ApprovalDecision | undefined {
  const { decision, reason } = messageData(message) ?? {}
  const said = typeof decision === 'string' ? decision : messageText(message)
  const word = said.trim().toLowerCase().replace(/[.!]$/u, '')
  const why = typeof reason === 'string' ? { reason } : {}
  if (YES.has(word)) return { decision: 'approved', ...why }
  return NO.has(word) ? { decision: 'denied', ...why } : undefined
}

/** Any text; fields of a form come as data under `values`. */
function readAnswer(message: Message): PersonAnswer | undefined {
  const { text: given, values } = messageData(message) ?? {}
  const text = typeof given === 'string' ? given : messageText(message)
  if (text === '') return undefined
  return isJsonObject(values) ? { answered: true, text, values } : { answered: true, text }
}
