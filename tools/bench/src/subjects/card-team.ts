import assert from 'node:assert/strict'
import { createHost } from '@troupe/host'
import type { CardReader } from '../measures/cards.ts'

/** What a start of the product does with a folder of cards: all are read, joined to a team, checked, and planned. Nothing runs. */
export const checkCards: CardReader = async (folder) => {
  const host = await createHost({
    cards: [folder],
    entry: 'agent-00000',
    config: { mcpServers: { search: { command: 'search-server' }, files: { command: 'files-server' } } },
    env: {
      OPENAI_API_KEY: 'sk-of-openai',
      ANTHROPIC_API_KEY: 'sk-of-anthropic',
      SEARCH_KEY: 'key-of-search',
    },
    cwd: folder,
  })
  const { agents, problems } = host.plan()
  assert.deepEqual(problems, [])
  await host.close()
  return agents.map((agent) => agent.name)
}
