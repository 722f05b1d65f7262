import { isJsonObject } from '@troupe/schema'

/** The value of a button: the id of its request, and the approval that it decides. */
export interface ButtonValue {
  readonly id: string
  readonly approvalId?: string
}

export function writeButtonValue(value: ButtonValue): string {
  return JSON.stringify(value)
}

/** Parses the value of a button. Returns `undefined` if the app did not write it. */
export function readButtonValue(text: string | undefined): ButtonValue | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '')
    if (!isJsonObject(value) || typeof value['id'] !== 'string') return undefined
    const { id, approvalId } = value
    return typeof approvalId === 'string' ? { id, approvalId } : { id }
  } catch {
    // The value of another app's or an older version's button.
    return undefined
  }
}
