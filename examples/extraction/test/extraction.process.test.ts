import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { readCases, runEvals } from '@troupe/evals'
import { fakeClock } from '@troupe/testkit/internal'
import { createHost } from 'troupe'
import { expect, it } from 'vitest'

const cwd = path.join(import.meta.dirname, '..')

it('each invoice becomes JSON, also the one whose first answer does not match the schema', async () => {
  const args = ['--conditions=@troupe/source', 'extract.ts']
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd })
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toMatchObject([
    { filename: 'bell.txt', number: 'B-2291', date: '2026-03-03', total: 97.5 },
    { filename: 'novak.txt', number: '2026-118', date: '2026-04-14', total: 127.9 },
  ])
  expect(stderr).toMatch(/^novak\.txt: .*does not match the output schema/u)
})

it('all cases of the evaluation pass', async () => {
  const { files, problems } = readCases('.', cwd)
  expect(problems).toEqual([])
  const openTeam = (cards: string) => createHost({ cards: [cards], cwd, env: {} })
  const readFiles = (names: readonly string[]) =>
    Promise.all(
      names.map(async (filename) => ({
        mediaType: 'text/plain',
        data: await readFile(path.join(cwd, filename), 'base64'),
        filename,
      })),
    )
  const { variants } = await runEvals({ files, openTeam, readFiles, clock: fakeClock() })
  expect(variants[0]?.totals).toMatchObject({ errors: 0, rate: 1 })
})
