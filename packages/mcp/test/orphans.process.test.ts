import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempProject } from '@troupe/testkit/internal'
import { expect, it, onTestFinished } from 'vitest'
import { eventually, groupMembers } from './support/process-table.ts'
import { leaseOf, nodeServer, SERVERS, testPool } from './support/test-pool.ts'

it('a new start ends the server processes that a killed program left behind', async () => {
  const project = await tempProject({})
  onTestFinished(() => project.remove())
  const processFolder = join(project.path, 'processes')
  const app = spawn(
    process.execPath,
    ['--conditions=@troupe/source', join(SERVERS, 'killed-app.ts'), processFolder],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  onTestFinished(() => void app.kill('SIGKILL'))
  const [said] = (await once(app.stdout, 'data')) as [Buffer]
  const grandchild = Number(said.toString())
  const [file = ''] = await readdir(processFolder)
  const { group } = JSON.parse(await readFile(join(processFolder, file), 'utf8')) as {
    readonly group: number
  }
  expect(groupMembers(group)).toContain(grandchild)
  app.kill('SIGKILL')
  await once(app, 'exit')
  expect(groupMembers(group)).toContain(grandchild)

  testPool({ processFolder })
  await eventually('nothing of it is left', () => groupMembers(group).length === 0)
  expect(await readdir(processFolder)).toEqual([])
})

it('the notes about server processes exist only as long as the processes', async () => {
  const project = await tempProject({})
  onTestFinished(() => project.remove())
  const pool = testPool({ processFolder: project.path })
  await leaseOf(pool, nodeServer('fault-stdio.mjs'))
  expect(await readdir(project.path)).toHaveLength(1)
  await pool.close()
  expect(await readdir(project.path)).toEqual([])
})
