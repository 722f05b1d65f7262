import type { CardForm } from './card-form.ts'

const TITLE = /^["']?title["']?\s*:/mu
const AGENTS = /^["']?agents["']?\s*:/mu
const INSTRUCTION = /\binstruction/u

/** Returns true if invalid data has the keys of an agent file at its top level. */
export function saysAgent(text: string, form: CardForm): boolean {
  if (form !== 'yaml') return /"(?:instruction|systemPrompt)"\s*:/u.test(text)
  return (
    /^["']?(?:instruction|systemPrompt)["']?\s*:/mu.test(text) ||
    (/^["']?(?:instructions|prompt)["']?\s*:/mu.test(text) && TITLE.test(text)) ||
    (AGENTS.test(text) && INSTRUCTION.test(text))
  )
}
