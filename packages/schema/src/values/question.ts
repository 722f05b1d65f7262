import type { JsonObject } from '../text/json.ts'

/** A question of a tool to a person. */
export interface Question {
  readonly question: string
  /** Possible answers. Default: any text. */
  readonly choices?: readonly string[]
  /** Name of the answer if several are requested at once: `user_name`. */
  readonly name?: string
  /**
   * Form with several fields: JSON Schema of an object whose properties are strings, numbers, booleans or
   * choices. Not allowed together with `choices`.
   */
  readonly form?: JsonObject
}

/** The answer of a person, or the reason why there is none. */
export type PersonAnswer =
  | {
      readonly answered: true
      readonly text: string
      /** Values of the `form`, if the user interface supports forms. They are not validated. */
      readonly values?: JsonObject
    }
  | { readonly answered: false; readonly reason: string }

/**
 * Returns the choice that an answer means: by its text in any letter case, or by its number from 1. Returns
 * `undefined` if none matches, and the answer itself if there are no choices.
 */
export function matchChoice({ choices = [] }: Question, answer: string): string | undefined {
  if (choices.length === 0) return answer
  const wanted = answer.trim()
  const same = choices.find((choice) => choice.toLowerCase() === wanted.toLowerCase())
  return same ?? (/^\d+$/u.test(wanted) ? choices[Number(wanted) - 1] : undefined)
}
