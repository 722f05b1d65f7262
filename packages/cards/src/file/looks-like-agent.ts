import type { CardSyntax } from './card-syntax.ts'

const TITLE = /^["']?title["']?\s*:/mu
const AGENTS = /^["']?agents["']?\s*:/mu
const INSTRUCTION = /\binstruction/u

/** Returns true if invalid data has the keys of an agent file at its top level. */
export function looksLikeAgent(text: string, syntax: CardSyntax): boolean {
  if (syntax !== 'yaml') return /"(?:instruction|systemPrompt)"\s*:/u.test(text)
  return (
    /^["']?(?:instruction|systemPrompt)["']?\s*:/mu.test(text) ||
    (/^["']?(?:instructions|prompt)["']?\s*:/mu.test(text) && TITLE.test(text)) ||
    (AGENTS.test(text) && INSTRUCTION.test(text))
  )
}
