import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { collectRun, expectRun, scriptedModel } from '@troupe/testkit'
import { createHost } from 'troupe'
import { expect, it, onTestFinished } from 'vitest'

const cwd = path.join(import.meta.dirname, '..')

it('the researcher reads a note and a web page, and cites both', async () => {
  const args = ['--conditions=@troupe/source', 'research.ts']
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd })
  expect(stdout).toContain("source: 'bridge.txt'")
  expect(stdout).toMatch(/source: 'http:\/\/127\.0\.0\.1:\d+\/bridge\.html'/u)
})

it('a run fails if it cites a source that was not read, or words that the source does not have', async () => {
  const answer = (source: string, quote: string) => ({
    text: JSON.stringify({ answer: 'It is old.', citations: [{ source, quote }] }),
  })
  const read = { calls: [{ tool: 'files__read_text_file', args: { path: 'bridge.txt' } }] }
  const readMissing = { calls: [{ tool: 'files__read_text_file', args: { path: 'tower.md' } }] }
  const model = scriptedModel(
    [
      [read, answer('tower.md', 'opened in 1894')],
      [readMissing, answer('tower.md', 'no such file')],
      [read, answer('bridge.txt', 'opened in 1895')],
      [read, answer('bridge.txt', 'opened in 1894')],
    ].flat(),
  )
  const host = await createHost({
    cards: [cwd],
    cwd,
    env: { PATH: process.env['PATH'] },
    model: 'test/model',
    models: { 'test/model': model },
  })
  onTestFinished(() => host.close())
  for (const problem of [
    'tower.md is cited, but was not read',
    'tower.md is cited, but was not read',
    'bridge.txt does not contain the quote',
  ]) {
    const { outcome, error } = await host.run('researcher', 'How old is the bridge?')
    expect({ outcome, code: error?.code }).toEqual({ outcome: 'failed', code: 'hook_failed' })
    expect(error?.message).toContain(problem)
  }
  expectRun(await collectRun(host.stream('researcher', 'How old is the bridge?'))).toComplete()
})
