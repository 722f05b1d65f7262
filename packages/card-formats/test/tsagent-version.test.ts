import { expect, it } from 'vitest'
import { parseCard } from './cards.ts'

it.each([
  ['1.0.2', '1.0.2', 'honoured'],
  ['v2', '0.0.0', 'ignored'],
])('a tsagent version is kept if it is semver: %s', (written, version, status) => {
  const text = `dialect: tsagent\nmetadata: {name: a, description: d, version: ${written}}\nsystemPrompt: Help.\n`
  const card = parseCard(text, { path: '/team/a.yaml' })
  expect(card.problems).toEqual([])
  expect(card.definition?.version).toBe(version)
  expect(card.report.find(({ key }) => key === 'metadata.version')?.status).toBe(status)
})
