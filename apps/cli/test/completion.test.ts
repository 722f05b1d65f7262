import { Command } from 'commander'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { complete } from '../src/completion/complete.ts'
import { settle } from '@troupe/testkit/internal'
import { runProgram } from '../src/program.ts'
import { project, TIME_TEAM, troupe } from './team.ts'
import { testContext } from './test-context.ts'

const FILES = {
  ...TIME_TEAM,
  'notes.txt': '',
  'team/README.md': '# Not a card',
  'team/troupe.json': '{}',
  'my team/a b.md': '---\ndescription: d\n---\nx',
  '.hidden/x.md': '',
}

/** Returns the completions of the last word. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const { out } = await troupe(['complete', '--', ...words], FILES)
  return out()
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [line.split('\t')[0] ?? '']))
}

describe('completion of command lines', () => {
  it('completion of an empty line offers commands and cards', async () => {
    const all = await offered('')
    expect(all).toEqual(
      expect.arrayContaining(['run', 'check', 'tools', 'init', 'new', 'completion', 'team/']),
    )
    expect(all).not.toContain('complete')
    expect(await offered('ch')).toEqual(['chat', 'check'])
  })

  it('completion of a card offers only folders and cards, and hidden ones only after a dot', async () => {
    expect(await offered('run', '')).toEqual(['my team/', 'team/'])
    expect(await offered('run', 'team/')).toEqual(['team/city.md', 'team/time.md'])
    expect(await offered('run', 'team/c')).toEqual(['team/city.md'])
    expect(await offered('check', 'team/city.md', 'te')).toEqual(['team/'])
    expect(await offered('run', '.h')).toEqual(['.hidden/'])
    expect(await offered('run', 'nowhere/')).toEqual([])
  })

  it('completion offers each option of the command once, unless it can be repeated', async () => {
    expect(await offered('run', 'team', '--ag')).toEqual(['--agent', '--agent-cards'])
    expect(await offered('run', 'team', '--agent', 'Time', '--ag')).toEqual(['--agent-cards'])
    expect(await offered('run', 'team', '--card', 'x.md', '--car')).toEqual(['--card'])
    expect(await offered('tools', 'call', '--arg')).toEqual(['--args'])
  })

  it('completion offers the agents of the team for --agent, even without `run`', async () => {
    expect(await offered('run', 'team', '--agent', '')).toEqual(['City', 'Time'])
    expect(await offered('team', '--agent', 'C')).toEqual(['City'])
    expect(await offered('team', '--agent=C')).toEqual(['--agent=City'])
  })

  it('completion offers files, folders or shells as the option requires, and nothing for free text', async () => {
    expect(await offered('run', 'team', '--env-file', 'no')).toEqual(['notes.txt'])
    expect(await offered('run', 'team', '--agent-cards', '')).toEqual(['my team/', 'team/'])
    expect(await offered('completion', '')).toEqual(['bash', 'zsh', 'fish'])
    expect(await offered('run', 'team', '--model', '')).toEqual([])
    expect(await offered('run', 'team', 'say ')).toEqual([])
  })

  it('completion runs no code of a card', async () => {
    const card = '---\ndescription: d\nfunctionTools: [bad.mjs:f]\n---\nx'
    const folder = await project({
      'a.md': card,
      'bad.mjs': 'globalThis.PWNED = 1\nexport const f = () => 1',
    })
    const context = testContext({ cwd: folder.path })
    expect(await runProgram(['complete', '--', 'run', '.', '--agent', ''], context)).toBe(0)
    await settle()
    expect(context.out()).toBe('a\td\n')
    expect(globalThis).not.toHaveProperty('PWNED')
  })

  it('completion never throws, whatever the words are', () => {
    const program = new Command('troupe')
    program.command('run').argument('[card]').argument('[message...]').option('--agent <name>').option('-q')
    const word = fc.oneof(
      fc.constantFrom('run', '--agent', '--agent=', '-q', '--', '-', '', '.'),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(word), (words) => {
        const candidates = complete(words, { program, context: { cwd: import.meta.dirname } })
        for (const { value } of candidates) expect(value.startsWith(words.at(-1) ?? '')).toBe(true)
      }),
    )
  })
})
