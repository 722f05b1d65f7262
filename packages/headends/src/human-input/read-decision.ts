import { isJsonObject, type ApprovalDecision, type PersonAnswer } from '@troupe/schema'

const YES = new Set(['yes', 'y', 'ok', 'approve', 'approved', 'true'])
const NO = new Set(['no', 'n', 'deny', 'denied', 'reject', 'rejected', 'false'])

/**
 * Parses a decision of a client: a word, a boolean, or an object with `decision` or `approved` and an
 * optional `reason`. Returns `undefined` if it is unclear, which approves nothing.
 */
export function readDecision(given: unknown): ApprovalDecision | undefined {
  if (!isJsonObject(given)) return toDecision(given)
  const { decision, approved, reason } = given
  const read = toDecision(decision ?? approved)
  return read === undefined || typeof reason !== 'string' ? read : { ...read, reason }
}

/**
 * Parses an answer of a client: a text, `{text, values?}`, or the fields of a form. Returns `undefined` if it
 * is not an answer.
 */
export function readAnswer(given: unknown): PersonAnswer | undefined {
  if (typeof given === 'string') return given === '' ? undefined : { answered: true, text: given }
  if (!isJsonObject(given)) return undefined
  const { text, values } = given
  if (isJsonObject(values))
    return { answered: true, text: typeof text === 'string' ? text : JSON.stringify(values), values }
  if (typeof text === 'string') return { answered: true, text }
  return { answered: true, text: JSON.stringify(given), values: given }
}

function toDecision(given: unknown): ApprovalDecision | undefined {
  if (typeof given !== 'string' && typeof given !== 'boolean') return undefined
  const word = String(given).trim().toLowerCase().replace(/[.!]$/u, '')
  if (YES.has(word)) return { decision: 'approved' }
  return NO.has(word) ? { decision: 'denied' } : undefined
}
