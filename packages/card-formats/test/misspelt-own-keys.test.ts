import { expect, it } from 'vitest'
import { parseCard } from './cards.ts'

it.each([
  ['/team/a.ai', 'descripton', 'description', 'error'],
  ['/team/a.ai', 'maxTurn', 'limits.maxTurns', 'error'],
  ['/team/.fast-agent/agent-cards/a.md', 'historyMod', 'historyMode', 'warning'],
])(
  'a misspelled Troupe key that a dialect shares is reported with its location: %s %s',
  (path, key, near, severity) => {
    const { problems, definition } = parseCard(`---\ndescription: d\n${key}: x\n---\nHelp.\n`, { path })
    expect(problems).toMatchObject([{ severity, code: 'card_unknown_key', line: 3, column: 1 }])
    expect(problems[0]?.message).toContain(`did you mean \`${near}\`?`)
    expect(definition === undefined).toBe(severity === 'error')
  },
)
