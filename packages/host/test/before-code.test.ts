import { expect, it } from 'vitest'
import { card, openProject } from './support/open-team.ts'
import { createHost } from '../src/index.ts'

async function callsOf(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { path } = await openProject(files)
  const happened: string[] = []
  const env = { push: happened.push.bind(happened) }
  Object.assign(globalThis, { happenedBeforeCode: env })
  const host = await createHost({
    cards: ['.'],
    cwd: path,
    home: path,
    beforeCode: () => void happened.push('told'),
  })
  await host.close()
  return happened
}

it('the app is notified once before code of cards is imported', async () => {
  const files = {
    'a.md': card({ name: 'A', model: 'passthrough', functionTools: ['code.ts:say'] }),
    'b.md': card({ name: 'B', model: 'passthrough', functionTools: ['code.ts:say'] }),
    'code.ts': `globalThis.happenedBeforeCode.push('imported')\nexport const say = () => 'x'\n`,
  }
  expect(await callsOf(files)).toEqual(['told', 'imported'])
})

it('the app is not notified if no card refers to code', async () => {
  expect(await callsOf({ 'a.md': card({ name: 'A', model: 'passthrough' }) })).toEqual([])
})
