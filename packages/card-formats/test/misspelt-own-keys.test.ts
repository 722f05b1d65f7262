import { expect, it } from 'vitest'
import { parseCard } from './cards.ts'

it.each([
  ['/team/a.ai', 'descripton', 'description'],
  ['/team/a.ai', 'maxTurn', 'limits.maxTurns'],
  ['/team/.fast-agent/agent-cards/a.md', 'historyMod', 'historyMode'],
])(
  'a misspelled Troupe key that a dialect shares is reported with its location: %s %s',
  (path, key, near) => {
    const { problems, definition } = parseCard(`---\ndescription: d\n${key}: x\n---\nHelp.\n`, { path })
    expect(problems).toMatchObject([{ severity: 'warning', code: 'card_unknown_key', line: 3, column: 1 }])
    expect(problems[0]?.message).toContain(`did you mean \`${near}\`?`)
    expect(definition).toBeDefined()
  },
)
