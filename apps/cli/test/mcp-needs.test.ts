import { createHost } from '@troupe/host'
import { scriptedModel } from '@troupe/testkit'
import { verifies } from '@troupe/testkit/internal'
import { expect, it } from 'vitest'
import { connectClient, serveExports } from './serve-exports.ts'
import { project } from './team.ts'

const CARD = `---
name: Travel
description: Books journeys.
model: test/clerk
exports:
  tools:
    - name: check_visa
      description: Says whether a visa is needed.
      parameters: {type: object, properties: {country: {type: string}}, required: [country]}
      prompt: Is a visa needed for {country}?
    - name: book
      description: Books a journey.
      needs: [check_visa]
      parameters: {type: object, properties: {country: {type: string}, day: {type: string}}, required: [country, day]}
      prompt: Book {country} on {day}.
---
Work.
`

it(`the model of an exported tool receives the results of the tools that it needs ${verifies('D53')}`, async () => {
  const folder = await project({ 'travel.md': CARD })
  const read: string[][] = []
  const clerk = scriptedModel((prompt) => {
    const words = prompt.flatMap(({ role, content }) =>
      role === 'system' || typeof content === 'string'
        ? []
        : content.flatMap((part) => (part.type === 'text' ? [`${role}: ${part.text}`] : [])),
    )
    read.push(words)
    return { text: `answer ${read.length}` }
  })
  const host = await createHost({
    cards: ['travel.md'],
    cwd: folder.path,
    env: {},
    config: false,
    models: { 'test/clerk': clerk },
  })
  const client = await connectClient(await serveExports(host, 'Travel'))
  const result = await client.callTool({
    name: 'Travel_book',
    arguments: { country: 'Japan', day: 'Friday' },
  })
  expect(result.content).toEqual([{ type: 'text', text: 'answer 2' }])
  expect(read).toEqual([
    ['user: Is a visa needed for Japan?'],
    ['user: Is a visa needed for Japan?', 'assistant: answer 1', 'user: Book Japan on Friday.'],
  ])
})
