import type { ApprovalDecision, Approver } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import type { Form, FormAnswer } from './form.ts'

const ONCE = 'allow once'
const SESSION = 'allow in this session'
const ALWAYS = 'always allow'
const DENY = 'deny'

/**
 * Creates the form for an approval, with the whole call and its arguments. Control characters in them are
 * escaped.
 */
export function approvalForm({ instance, toolName, args, reason }: Parameters<Approver>[0]): Form {
  const lines = [
    `${plainText(instance)} wants to call ${plainText(toolName)} with`,
    visible(JSON.stringify(args, null, 2)),
    ...(reason === undefined ? [] : [plainText(reason)]),
  ]
  return {
    message: lines.join('\n'),
    schema: {
      type: 'object',
      properties: {
        answer: {
          type: 'string',
          title: 'Allow it?',
          enum: reason === undefined ? [ONCE, SESSION, ALWAYS, DENY] : [ONCE, DENY],
        },
      },
      required: ['answer'],
    },
  }
}

/**
 * Returns the decision of the person; `undefined` if the response is invalid and the question is repeated.
 */
export function readApproval({ action, content }: FormAnswer): ApprovalDecision | undefined {
  if (action !== 'accept')
    return {
      decision: 'denied',
      reason: action === 'decline' ? 'the person said no' : 'the person gave no answer',
    }
  switch (content?.['answer']) {
    case ONCE:
      return { decision: 'approved' }
    case SESSION:
      return { decision: 'approved', remember: 'session' }
    case ALWAYS:
      return { decision: 'approved', remember: 'always' }
    case DENY:
      return { decision: 'denied', reason: 'the person said no' }
    default:
      return undefined
  }
}

/** Escapes invisible characters and those that change the text direction. */
function visible(text: string): string {
  return text.replaceAll(
    /[^\P{C}\n]|[\u2028\u2029]/gu,
    (character) => `\\u${character.codePointAt(0)?.toString(16).padStart(4, '0') ?? ''}`,
  )
}
