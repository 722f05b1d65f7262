import type { ScriptedStep } from '@troupe/testkit'
import { oneAgent as scriptedAgent, type ScriptedTeam } from '@troupe/testkit/teams'

/** Returns one agent whose model answers from its input: a line `role: words` for each message. */
export function oneAgent(answer: (words: readonly string[]) => ScriptedStep): ScriptedTeam {
  return scriptedAgent((prompt) =>
    answer(
      prompt.map(({ role, content }) => {
        if (typeof content === 'string') return `${role}: ${content}`
        return `${role}: ${content.map((part) => (part.type === 'text' ? part.text : part.type)).join(' ')}`
      }),
    ),
  )
}
