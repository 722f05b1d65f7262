import type { JsonObject } from './json.ts'

/** What a tool asks a person. */
export interface Question {
  readonly question: string
  /** The answers there are; none: any text. */
  readonly choices?: readonly string[]
  /** What the answer is called, where several are asked for at once: `user_name`. */
  readonly name?: string
  /** Several fields to fill in: JSON Schema of an object whose members are texts, numbers, booleans or choices. Not together with `choices`. */
  readonly form?: JsonObject
}

/** What a person said, or why there is no answer. */
export type PersonAnswer =
  | {
      readonly answered: true
      readonly text: string
      /** The fields of a `form`, where who was asked could fill it in. They are not checked. */
      readonly values?: JsonObject
    }
  | { readonly answered: false; readonly reason: string }

/** What the person said as one of the choices, where there are some: its text in any case, or its number from 1. Undefined: it is none of them. */
export function chosenAnswer({ choices = [] }: Question, said: string): string | undefined {
  if (choices.length === 0) return said
  const wanted = said.trim()
  const same = choices.find((choice) => choice.toLowerCase() === wanted.toLowerCase())
  return same ?? (/^\d+$/u.test(wanted) ? choices[Number(wanted) - 1] : undefined)
}
