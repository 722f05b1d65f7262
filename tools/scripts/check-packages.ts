/**
 * Packs every public package as it would be published, checks each tarball with publint and arethetypeswrong, installs
 * them all with plain npm into an empty folder, checks their types without `skipLibCheck`, and runs from there the embed example, the extensions of CONTRIBUTING.md,
 * the command line, and the workflow of a repository with a team and its tests. `--tarballs <folder>` keeps the tarballs.
 */
import { execFile, execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { isAsExpected, readSnippets } from './docs/snippets.ts'
import { checkPublicTypes } from './release/check-types.ts'
import { nameOfTarball } from './release/install-tarballs.ts'

const root = path.join(import.meta.dirname, '../..')
const work = mkdtempSync(path.join(tmpdir(), 'troupe-packages-'))
const { values } = parseArgs({ options: { tarballs: { type: 'string' } } })
const { tarballs = path.join(work, 'tarballs') } = values
const consumer = path.join(work, 'consumer')

/** Resolutions for Node 10, which no package supports, and for CommonJS, which loads the ES modules with `require`. */
const IGNORED_RESOLUTIONS: ReadonlySet<string> = new Set(['node10', 'node16-cjs'])

/** A program that uses the library `troupe` without any other package for its types. */
const TEAM = `import { createHost } from 'troupe'

const host = await createHost({ cards: ['greeter.md'], config: false })
const { outcome, output } = await host.run('greeter', 'Good day.')
console.log(\`\${outcome}: \${output.text}\`)
// @ts-expect-error no such option
void ((): unknown => createHost({ cards: [], environment: {} }))
await host.close()
`

/** Programs that use the types of the subpaths, from an ES module and from CommonJS. */
const SUBPATHS = `import { createHost, runAgent, type RunAgentResult } from 'troupe'
import { createClient } from 'troupe/client'
import { rateLimit } from 'troupe/hooks'
import { createServer } from 'troupe/server'
import { createMemoryStore } from 'troupe/store'
import { scriptedModel } from 'troupe/testing'

const store = createMemoryStore()
const host = await createHost({ cards: [], store })
const { url } = await createServer({ host, store })
void createClient({ url })
void rateLimit({ calls: 1, per: '1s' })
const model = scriptedModel([{ text: 'Good day.' }])
const result: RunAgentResult = await runAgent({ model, instruction: 'Greet.' }, 'Hello')
if (result.outcome === 'failed') console.log(result.error.code)
// @ts-expect-error only a run without an answer has an error
else console.log(result.error)
`
const REQUIRED = `import troupe = require('troupe')
import store = require('troupe/store')

void ((): unknown => troupe.createHost({ cards: [], store: store.createMemoryStore() }))
`

try {
  const packed = pack()
  // npm must end before its folder is removed
  const results = await Promise.allSettled([installInto(consumer, packed), checkTarballs(packed)])
  for (const result of results) if (result.status === 'rejected') throw result.reason
  await checkPublicTypes({
    consumer,
    work: path.join(work, 'types'),
    packages: packed.map(nameOfTarball),
    // a release checks each package by itself
    alone: values.tarballs === undefined ? ['troupe'] : packed.map(nameOfTarball),
    nodeTypes: path.join(root, 'node_modules/@types/node'),
  })
  runFromTarballs()
  runExtensions()
  runTestedTeam()
  console.log(`${packed.length} packages: packed, checked, installed with npm and run.`)
} finally {
  rmSync(work, { recursive: true, force: true })
}

function pack(): readonly string[] {
  mkdirSync(tarballs, { recursive: true })
  run(
    'pnpm',
    [
      '-r',
      '--filter',
      './packages/*',
      '--filter',
      './apps/*',
      '--filter',
      '!@troupe/web',
      '--filter',
      '!@troupe/docs',
      'pack',
      '--pack-destination',
      tarballs,
    ],
    root,
  )
  return readdirSync(tarballs)
    .filter((file) => file.endsWith('.tgz'))
    .map((file) => path.join(tarballs, file))
}

async function checkTarballs(packed: readonly string[]): Promise<void> {
  for (const tarball of packed) {
    await runAsync('publint', ['--strict', tarball], root)
    await checkTypesOf(tarball)
  }
}

/** Throws if a package has no types, or types that an ES module or a bundler does not find or misunderstands. */
async function checkTypesOf(tarball: string): Promise<void> {
  const result = await checkPackage(createPackageFromTarballData(readFileSync(tarball)))
  if (result.types === false) throw new Error(`${result.packageName} has no types.`)
  const problems = result.problems.filter(
    (problem) => !('resolutionKind' in problem && IGNORED_RESOLUTIONS.has(problem.resolutionKind)),
  )
  if (problems.length > 0)
    throw new Error(
      `The types of ${result.packageName} are wrong:\n${JSON.stringify(problems, undefined, 2)}`,
    )
}

async function runAsync(command: string, args: readonly string[], cwd: string): Promise<void> {
  try {
    await promisify(execFile)(command, args, { cwd })
  } catch (thrown) {
    const { stdout, stderr } = thrown as { readonly stdout: string; readonly stderr: string }
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: thrown })
  }
}

async function installInto(folder: string, packed: readonly string[]): Promise<void> {
  mkdirSync(folder)
  writeFileSync(
    path.join(folder, 'package.json'),
    JSON.stringify({ name: 'consumer', private: true, type: 'module' }),
  )
  const options = ['--no-audit', '--no-fund', '--loglevel=error']
  await runAsync('npm', ['install', ...options, ...packed, 'zod@4'], folder)
}

function runFromTarballs(): void {
  cpSync(path.join(root, 'examples/embed/run.ts'), path.join(consumer, 'run.ts'))
  cpSync(path.join(root, 'examples/embed/adder.yaml'), path.join(consumer, 'adder.yaml'))
  expectOutput(run(process.execPath, ['run.ts'], consumer), 'It is 42.')
  writeFileSync(path.join(consumer, 'greeter.md'), '---\nname: greeter\nmodel: passthrough\n---\nGreet.\n')
  writeFileSync(path.join(consumer, 'team.ts'), TEAM)
  expectOutput(run(process.execPath, ['team.ts'], consumer), 'completed: Good day.')
  writeFileSync(path.join(consumer, 'subpaths.ts'), SUBPATHS)
  writeFileSync(path.join(consumer, 'required.cts'), REQUIRED)
  checkTypes(['team.ts', 'subpaths.ts', 'required.cts'])
  // outside the consumer, so that its hooks find @troupe/schema and zod only in the command
  const team = path.join(work, 'team')
  cpSync(path.join(root, 'examples/project-managers'), team, {
    recursive: true,
    filter: (source) => !source.includes('node_modules') && !source.endsWith('.test.ts'),
  })
  const bin = path.join(consumer, 'node_modules/.bin/troupe')
  expectOutput(run(bin, ['--version'], consumer), '0.')
  expectOutput(run(bin, ['run', team, 'What is new?', '--quiet'], consumer), 'London, economics review')
  // exits with 2, but only the bundled client of PostgreSQL can report this
  const doctor = '"$0" doctor --store postgresql://127.0.0.1:1/none || true'
  expectOutput(run('sh', ['-c', doctor, bin], consumer), 'connect ECONNREFUSED 127.0.0.1:1')
}

/** Writes the code blocks of the walk-through in CONTRIBUTING.md, checks their types, and runs its commands. */
function runExtensions(): void {
  const snippets = readSnippets(readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8'))
  const files = snippets.filter((snippet) => snippet.kind === 'file')
  for (const { path: name, content } of files) {
    mkdirSync(path.dirname(path.join(consumer, name)), { recursive: true })
    writeFileSync(path.join(consumer, name), content)
  }
  const modules = files.map((file) => file.path).filter((name) => name.endsWith('.ts'))
  checkTypes(modules, '--allowImportingTsExtensions')
  const sessions = snippets.filter((snippet) => snippet.kind === 'session')
  if (sessions.length === 0) throw new Error('CONTRIBUTING.md has no command that runs the extensions.')
  for (const { commands, expected, line } of sessions) {
    const output = execFileSync('bash', ['-c', commands.join('\n')], {
      cwd: consumer,
      encoding: 'utf8',
      env: shellEnvironment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    if (!isAsExpected(output.trimEnd().split('\n'), expected))
      throw new Error(`CONTRIBUTING.md:${line}: the output differs:\n${output}`)
  }
}

/** Runs the commands of the workflow in `examples/tested-team` as in a repository that has only the files of a user. */
function runTestedTeam(): void {
  const example = path.join(root, 'examples/tested-team')
  const repository = path.join(work, 'repository')
  const ours = new Set(['node_modules', 'test', 'tsconfig.json', 'turbo.json', 'vitest.config.ts'])
  cpSync(example, repository, {
    recursive: true,
    filter: (source) => !ours.has(path.relative(example, source)),
  })
  cpSync(path.join(example, 'librarian.test.ts'), path.join(consumer, 'librarian.test.ts'))
  checkTypes(['librarian.test.ts'])
  const workflow = readFileSync(path.join(repository, '.github/workflows/test.yml'), 'utf8')
  const [install, ...commands] = [...workflow.matchAll(/^ +- run: (.+)$/gmu)].map(
    ([, command = '']) => command,
  )
  if (install !== 'npm ci') throw new Error(`The workflow begins with ${install} instead of npm ci.`)
  symlinkSync(path.join(consumer, 'node_modules'), path.join(repository, 'node_modules'), 'dir')
  for (const command of commands)
    execFileSync('bash', ['-c', command], {
      cwd: repository,
      env: shellEnvironment(),
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  const report = (name: string): string => readFileSync(path.join(repository, 'reports', name), 'utf8')
  expectOutput(report('troupe.xml'), '<testsuites tests="1" failures="0" errors="0"')
  expectOutput(report('node.xml'), '<testcase name="the librarian answers')
}

/** Returns the environment of the process, with the Node that runs it first. */
function shellEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}` }
}

/** Checks the types of files in the consumer as strictly as a user may. */
function checkTypes(files: readonly string[], ...more: readonly string[]): void {
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node']
  run('tsc', [...options, '--typeRoots', path.join(root, 'node_modules/@types'), ...more, ...files], consumer)
}

function expectOutput(output: string, expected: string): void {
  if (output.includes(expected)) return
  throw new Error(`expected "${expected}" in the output:\n${output}`)
}

function run(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}
