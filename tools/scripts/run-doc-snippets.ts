/**
 * Follows the pages of docs/: writes the files of a page into an empty folder, checks the types of its TypeScript, runs its commands
 * and compares their output. No key is needed; the environment of the caller is not passed on. Accepts names of pages.
 */
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { bundleProgram } from '../../apps/cli/test/bundle-program.ts'
import { isAsExpected, readSnippets, type Snippet } from './docs/snippets.ts'

const root = path.join(import.meta.dirname, '../..')
const modules = path.join(root, 'node_modules')
const named = process.argv.slice(2)
const program = await bundleProgram()
let failed = 0

for (const page of globSync(['CONTRIBUTING.md', 'docs/*.md', 'docs/reference/*.md'], {
  cwd: root,
}).toSorted()) {
  if (named.length > 0 && !named.includes(path.basename(page, '.md'))) continue
  const snippets = readSnippets(readFileSync(path.join(root, page), 'utf8'))
  if (snippets.length === 0) continue
  const problems = tryPage(snippets)
  for (const problem of problems) console.error(`${page}:${problem}`)
  if (problems.length === 0) console.log(`${page}: ${snippets.length} snippets as described`)
  failed += problems.length
}
await program.remove()
process.exitCode = failed === 0 ? 0 : 1

function tryPage(snippets: readonly Snippet[]): readonly string[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-docs-'))
  try {
    linkModules(folder)
    const problems: string[] = []
    for (const snippet of snippets) {
      if (snippet.kind === 'file') writeSnippet(folder, snippet)
      else problems.push(...trySession(folder, snippet))
    }
    const hasCode = snippets.some((snippet) => snippet.kind === 'file' && snippet.path.endsWith('.ts'))
    if (hasCode) problems.push(...checkTypes(folder))
    return problems
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function writeSnippet(folder: string, { path: name, content }: Extract<Snippet, { kind: 'file' }>): void {
  const file = path.join(folder, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, content)
}

function trySession(folder: string, session: Extract<Snippet, { kind: 'session' }>): readonly string[] {
  const script = `troupe() { node "${program.file}" "$@"; }\n${session.commands.join('\n')}\n`
  const seen = run('bash', ['-c', `exec 2>&1\n${script}`], folder)
  if (isAsExpected(seen, session.expected)) return []
  return [`${session.line}: what is seen differs; it is\n${seen.map((line) => `    ${line}`).join('\n')}`]
}

function checkTypes(folder: string): readonly string[] {
  const config = {
    extends: path.join(root, 'tsconfig.base.json'),
    compilerOptions: { noPropertyAccessFromIndexSignature: false },
    include: ['**/*.ts'],
  }
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config))
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  // the page is not responsible for errors in the packages themselves
  return run(path.join(modules, '.bin/tsc'), ['-p', '.'], folder)
    .filter((line) => /^(?!\.\.)\S+\(\d/u.test(line))
    .map((line) => ` ${line}`)
}

/** Returns the output of a command in lines. Of the caller's variables only the path to Node is passed on. */
function run(command: string, args: readonly string[], cwd: string): readonly string[] {
  const { stdout, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 120_000,
    env: {
      PATH: `${path.join(modules, '.bin')}:${process.env['PATH'] ?? ''}`,
      HOME: cwd,
      NODE_OPTIONS: '--conditions=@troupe/source',
    },
  })
  if (error !== undefined) throw error
  const text = stdout.replace(/\n$/u, '')
  return text === '' ? [] : text.split('\n')
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
