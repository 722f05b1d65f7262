/**
 * Follows the pages of docs/: writes the files of a page into an empty folder, checks the types of its TypeScript, runs its commands
 * and compares their output. No key is needed; the environment of the caller is not passed on. Accepts names of pages, such
 * as `hooks`, or their files.
 */
import { spawn } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { bundleProgram } from '../../apps/cli/test/bundle-program.ts'
import { isAsExpected, readSnippets, type Snippet } from './docs/snippets.ts'

const root = path.join(import.meta.dirname, '../..')
const modules = path.join(root, 'node_modules')
const named = process.argv.slice(2).map((page) => path.basename(page, '.md'))
const work = mkdtempSync(path.join(tmpdir(), 'troupe-docs-'))
const program = await bundleProgram()
/** Makes Vitest resolve the packages to their sources, like `NODE_OPTIONS` below for Node. */
const CONDITIONS = JSON.stringify(['@troupe/source', 'module', 'node', 'development|production'])
const VITEST_CONFIG = `const conditions = ${CONDITIONS}
export default { resolve: { conditions }, ssr: { resolve: { conditions } } }
`
let failed = 0

try {
  const pages = globSync(['CONTRIBUTING.md', 'docs/**/*.md'], { cwd: root })
    .filter((page) => named.length === 0 || named.includes(path.basename(page, '.md')))
    .toSorted()
  for (const name of named)
    if (!pages.some((page) => path.basename(page, '.md') === name)) fail(`There is no page ${name}.`)
  linkModules(work)
  await tryPages(pages)
  for (const problem of await checkTypes(work)) fail(problem)
} finally {
  await program.remove()
  rmSync(work, { recursive: true, force: true })
}
process.exitCode = failed === 0 ? 0 : 1

/** Follows as many pages at a time as there are processors. */
async function tryPages(pages: readonly string[]): Promise<void> {
  const waiting = pages.values()
  const followPages = async (): Promise<void> => {
    for (const page of waiting) {
      const snippets = readSnippets(readFileSync(path.join(root, page), 'utf8'))
      if (snippets.length === 0) continue
      const problems = await tryPage(page, snippets)
      for (const problem of problems) fail(`${page}:${problem}`)
      if (problems.length === 0) console.log(`${page}: ${snippets.length} snippets as described`)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, followPages))
}

function fail(problem: string): void {
  console.error(problem)
  failed += 1
}

async function tryPage(page: string, snippets: readonly Snippet[]): Promise<readonly string[]> {
  const folder = path.join(work, page)
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  writeFileSync(path.join(folder, 'vitest.config.js'), VITEST_CONFIG)
  const problems: string[] = []
  for (const snippet of snippets) {
    if (snippet.kind === 'file') writeSnippet(folder, snippet)
    else problems.push(...(await trySession(folder, snippet)))
  }
  return problems
}

function writeSnippet(folder: string, { path: name, content }: Extract<Snippet, { kind: 'file' }>): void {
  const file = path.join(folder, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, content)
}

async function trySession(
  folder: string,
  session: Extract<Snippet, { kind: 'session' }>,
): Promise<readonly string[]> {
  const script = `troupe() { node "${program.file}" "$@"; }\n${session.commands.join('\n')}\n`
  const seen = await run('bash', ['-c', `exec 2>&1\n${script}`], folder)
  if (isAsExpected(seen, session.expected)) return []
  return [`${session.line}: what is seen differs; it is\n${seen.map((line) => `    ${line}`).join('\n')}`]
}

/** Checks the types of all pages at once, because most of the time goes into the packages that they import. */
async function checkTypes(folder: string): Promise<readonly string[]> {
  const config = {
    extends: path.join(root, 'tsconfig.base.json'),
    compilerOptions: { noPropertyAccessFromIndexSignature: false },
    include: ['**/*.ts'],
  }
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config))
  const lines = await run(path.join(modules, '.bin/tsc'), ['-p', '.'], folder)
  // the pages are not responsible for errors in the packages themselves
  return lines.filter((line) => /^(?!\.\.)\S+\(\d/u.test(line))
}

/** Returns the output of a command in lines. Of the caller's variables only the path to Node is passed on. */
async function run(command: string, args: readonly string[], cwd: string): Promise<readonly string[]> {
  const child = spawn(command, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 120_000,
    env: {
      PATH: `${path.join(modules, '.bin')}:${process.env['PATH'] ?? ''}`,
      HOME: cwd,
      NODE_OPTIONS: '--conditions=@troupe/source',
    },
  })
  const output = (await text(child.stdout)).replace(/\n$/u, '')
  return output === '' ? [] : output.split('\n')
}

/** Links the packages as an installation would. */
function linkModules(folder: string): void {
  const target = path.join(folder, 'node_modules')
  const foreign = path.join(root, 'examples/new-york-london/node_modules')
  const links = [
    ...globSync(['packages/*', 'apps/server'], { cwd: root }).map((name) => [
      `@troupe/${path.basename(name)}`,
      path.join(root, name),
    ]),
    ['troupe', path.join(root, 'apps/cli')],
    ['vitest', path.join(modules, 'vitest')],
    ['zod', path.join(foreign, 'zod')],
    ['@modelcontextprotocol/server', path.join(foreign, '@modelcontextprotocol/server')],
    ['@types/node', path.join(modules, '@types/node')],
    ...['ai', 'hono', '@hono/node-server', '@modelcontextprotocol/sdk'].map((name) => [
      name,
      path.join(root, 'packages/ai/node_modules', name),
    ]),
  ]
  for (const [name = '', from = ''] of links) {
    const link = path.join(target, name)
    mkdirSync(path.dirname(link), { recursive: true })
    symlinkSync(from, link, 'dir')
  }
}
