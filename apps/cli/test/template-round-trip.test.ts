import { cp, writeFile } from 'node:fs/promises'
import { globSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { createHost, type Host } from '@troupe/host'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runProgram } from '../src/program.ts'
import { project } from './team.ts'
import { testContext } from './test-context.ts'

const EXAMPLES = join(import.meta.dirname, '../../../examples')
const CARDS = globSync('**/*.md', {
  cwd: EXAMPLES,
  exclude: ['**/node_modules/**', '**/README.md'],
}).toSorted()

async function open(card: string): Promise<Host> {
  const host = await createHost({ cards: [card], cwd: dirname(card), env: {} })
  onTestFinished(() => host.close())
  return host
}

/** Returns the definition of an agent without its source and its digest. */
function contentOf(host: Host): unknown {
  const { source: _source, digest: _digest, ownLimits: _own, ...content } = host.definition(host.plan().entry)
  return content
}

describe(`the template of an example card, pasted over its front matter ${verifies('C5', 'C58', 'C59')}`, () => {
  it.each(CARDS)('the printed template makes the same agent without a new problem: %s', async (path) => {
    const folder = await project({})
    await cp(dirname(join(EXAMPLES, path)), folder.path, { recursive: true })
    const card = join(folder.path, basename(path))
    const before = await open(card)
    const help = testContext({ cwd: folder.path })
    expect(await runProgram(['run', card, '--help'], help)).toBe(0)
    await new Promise(setImmediate)
    const template = help.out().slice(help.out().indexOf('---\n'))
    const { instruction } = before.definition(before.plan().entry)
    await writeFile(card, `${template}${instruction}\n`)
    const after = await open(card)
    expect(contentOf(after)).toEqual(contentOf(before))
    expect(problemsOf(after)).toEqual(problemsOf(before))
  })
})

function problemsOf(host: Host): readonly string[] {
  return host.plan().problems.map(({ code, message }) => `${code} ${message}`)
}
