import { CARD_FORMATS } from '@troupe/card-formats'
import { parseCard } from '@troupe/cards'
import { LIST_PRICES } from '@troupe/models'
import { expect, it } from 'vitest'

it.each(['sonnet', 'haiku', 'opus'])(
  'the short name "%s" of Claude Code means the newest model of its family that has a list price',
  (word) => {
    const card = `---\ndescription: d\nmodel: ${word}\n---\nx\n`
    const { definition } = parseCard(card, { path: '/p/.claude/agents/a.md', formats: CARD_FORMATS })
    const newest = LIST_PRICES.find(({ model }) => model.startsWith(`claude-${word}-`))
    expect(definition?.model).toEqual([`${newest?.provider}/${newest?.model}`])
  },
)
