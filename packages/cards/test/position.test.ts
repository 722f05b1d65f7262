import { parseCard } from '@troupe/cards'
import { expect, it } from 'vitest'

it('positionOf returns where a key or an entry was written, under its original name', () => {
  const card = parseCard(
    '---\nname: A\ndescription: a\nagents:\n  - One\n  - Two\ntool_hooks: [x.ts:y]\n---\nGo.\n',
    { path: 'A.md' },
  )
  expect(card.positionOf(['agents', 1])).toMatchObject({ line: 6, column: 5 })
  expect(card.positionOf(['toolHooks'])).toMatchObject({ line: 7, column: 1 })
})
