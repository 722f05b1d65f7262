import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { tempProject } from '@troupe/testkit/internal'
import { openStore } from 'troupe'
import { expect, it, onTestFinished } from 'vitest'
import { ROOT } from '../src/readme-files.ts'

/** Returns the version of the format of a new SQLite store. */
async function writtenFormat(): Promise<number> {
  const folder = await tempProject()
  onTestFinished(() => folder.remove())
  const path = join(folder.path, 'runs.db')
  await (await openStore(path)).close()
  const database = new DatabaseSync(path)
  onTestFinished(() => database.close())
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
}

it('the page about versions names the format of SQLite files that this version writes, and the versions of Node', async () => {
  const page = await readFile(join(ROOT, 'docs/versions.md'), 'utf8')
  const format = await writtenFormat()
  expect(page).toContain(`opens 1 to ${format}, writes ${format} |`)
  const { engines } = JSON.parse(await readFile(join(ROOT, 'apps/cli/package.json'), 'utf8')) as {
    readonly engines: { readonly node: string }
  }
  const [, oldest = ''] = /^>=(\d+\.\d+)$/u.exec(engines.node) ?? []
  expect(page).toContain(`| Node ${oldest.split('.')[0]} (${oldest} or later), 24, 26 |`)
})
