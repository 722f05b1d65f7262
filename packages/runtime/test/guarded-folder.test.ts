import { symlink } from 'node:fs/promises'
import { tempProject } from '@troupe/testkit/internal'
import { expect, it, onTestFinished } from 'vitest'
import { createRuntime } from '../src/index.ts'

/** A folder of a user beside the root of a team whose cards are in it. */
async function userFolder() {
  const files = { 'root/a.txt': '', 'project/src/a.txt': '', 'project/cards/one.md': '', 'project/.env': '' }
  const { path, remove } = await tempProject(files)
  onTestFinished(remove)
  const project = `${path}/project`
  const runtime = createRuntime({
    root: `${path}/root`,
    team: { folders: [`${project}/cards`], secrets: [`${project}/.env`] },
    baseEnv: {},
    clock: { now: () => 0, monotonic: () => 0, after: () => () => undefined },
  })
  return { project, folder: runtime.folder(project) }
}

it('a folder resolves paths inside it, written in any way, whether they exist or not', async () => {
  const { project, folder } = await userFolder()
  expect(await folder.locate('src/../src/a.txt', 'read')).toBe(`${project}/src/a.txt`)
  expect(await folder.locate(`${project}/src/new.txt`, 'write')).toBe(`${project}/src/new.txt`)
  expect(await folder.locate('.', 'read')).toBe(project)
})

it('a folder denies paths outside, also behind a link', async () => {
  const { project, folder } = await userFolder()
  await symlink(`${project}/../root`, `${project}/link`)
  for (const path of ['../root/a.txt', 'link/a.txt', '/etc/passwd'])
    await expect(folder.locate(path, 'read')).rejects.toMatchObject({
      failure: { code: 'filesystem_denied' },
    })
})

it('a folder denies writing to files of the team, and reading its secrets', async () => {
  const { folder } = await userFolder()
  expect(await folder.locate('cards/one.md', 'read')).toContain('one.md')
  await expect(folder.locate('cards/one.md', 'write')).rejects.toThrow('is in a folder of the team')
  await expect(folder.locate('.env', 'read')).rejects.toThrow('contains secrets')
})
