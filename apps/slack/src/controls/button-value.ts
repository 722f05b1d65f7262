import { isJsonObject } from '@troupe/schema'

/** What a button is about: a request, and the question of it that it answers. */
export interface ButtonValue {
  readonly id: string
  readonly approvalId?: string
}

export function writeButtonValue(value: ButtonValue): string {
  return JSON.stringify(value)
}

/** Undefined: it is not a value of ours. */
export function readButtonValue(text: string | undefined): ButtonValue | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '')
    if (!isJsonObject(value) || typeof value['id'] !== 'string') return undefined
    const { id, approvalId } = value
    return typeof approvalId === 'string' ? { id, approvalId } : { id }
  } catch {
    // a button of another app, or of an older version
    return undefined
  }
}
