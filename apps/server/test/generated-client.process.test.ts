import { createClient } from '@hey-api/openapi-ts'
import { tempProject } from '@troupe/testkit/internal'
import { bundleForTests } from '@troupe/tooling/bundle-for-tests'
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { leadAndClerk, serveTeam } from './support/serve-team.ts'

const execute = promisify(execFile)
const TYPESCRIPT = createRequire(import.meta.url).resolve('typescript/package.json')

/** A program that uses a generated client: starts a run, waits for its end, and prints its answer. */
const PROGRAM = `import { createClient } from './client/client'
import { followRun, readRun, startRun, type Run, type StartedRun } from './client'

const JSON_ONLY = { accept: 'application/json' }
const client = createClient({ baseUrl: process.argv[2] ?? '' })
const { data: started, error } = await startRun({ client, body: { agent: 'Lead', q: 'Hi' } })
if (started === undefined) throw new Error(error?.error.code)
const { runId }: Pick<StartedRun, 'runId'> = started
let run: Run | undefined
do {
  run = (await readRun({ client, path: { id: runId } })).data
} while (run?.state === 'queued' || run?.state === 'running')
const { data: page } = await followRun({ client, path: { id: runId }, query: { limit: '1' }, headers: JSON_ONLY })
const events = page === undefined || !('events' in page) ? [] : page.events
for (const event of events) if (event.type === 'run-start') console.log(event.input)
console.log(run?.state, run?.output?.text)
const { error: unknown } = await readRun({ client, path: { id: 'run_none' } })
console.log(unknown?.error.code)
`

it('a client that another generator creates from the OpenAPI document compiles, runs an agent and gets typed errors', async () => {
  const { url } = await serveTeam(leadAndClerk())
  const project = await tempProject({
    'package.json': '{"type": "module"}',
    'main.ts': PROGRAM,
  })
  onTestFinished(() => project.remove())
  await createClient({
    input: `${url}/openapi.json`,
    output: join(project.path, 'client'),
    plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
    logs: { level: 'silent' },
  })
  const types = ['--types', 'node', '--typeRoots', join(import.meta.dirname, '../node_modules/@types')]
  const options = ['--strict', '--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler']
  const tsc = join(TYPESCRIPT, '../bin/tsc')
  const checked = await execute(process.execPath, [tsc, ...options, ...types, '--noEmit', 'main.ts'], {
    cwd: project.path,
  }).catch(({ stdout }: { readonly stdout: string }) => ({ stdout }))
  expect(checked.stdout).toBe('')
  const bundle = await bundleForTests(project.path, { main: 'main.ts' })
  onTestFinished(() => bundle.remove())
  const { stdout } = await execute(process.execPath, [join(bundle.folder, 'dist/main.js'), url])
  expect(stdout.trim().split('\n')).toEqual(['Hi', 'completed There are 3.', 'run_unknown'])
})
