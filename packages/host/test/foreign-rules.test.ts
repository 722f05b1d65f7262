import { CARD_FORMATS } from '@troupe/card-formats'
import { parseCard } from '@troupe/cards'
import { createPermission } from '@troupe/core'
import { defineTool, type ToolDefinition } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const STRICTNESS = ['allow', 'ask', 'deny']
const shell: ToolDefinition = {
  ...defineTool({ name: 'shell.execute', description: 'x', requiresApproval: true, execute: () => 'x' }),
  ruleArguments: {
    command: {
      kind: 'command',
      read: ({ words }) => ({ words: words as readonly string[], hasInput: false }),
    },
  },
}

type Entry = readonly [pattern: string, permission: string]

/** How strictly an agent of opencode with these rules for `bash` treats a command. */
async function strictness(entries: readonly Entry[], words: readonly string[]): Promise<number> {
  const lines = entries.map(([pattern, permission]) => `    ${JSON.stringify(pattern)}: ${permission}`)
  const text = `---\ndescription: d\npermission:\n  bash:\n${lines.join('\n')}\n---\nx\n`
  const { definition, problems } = parseCard(text, { path: '/p/.opencode/agent/a.md', formats: CARD_FORMATS })
  if (definition === undefined) throw new Error(problems.map(({ message }) => message).join('\n'))
  const { decision } = await createPermission(definition).ofCall(shell, { words })
  return STRICTNESS.indexOf(decision)
}

describe('rules of opencode for commands', () => {
  it(`a later deny rule of opencode never allows more commands ${verifies('R16')}`, async () => {
    const pattern = fc.constantFrom('*', 'rm *', 'git *', 'git log *', 'r*', '* x')
    const entries = fc.uniqueArray(fc.tuple(pattern, fc.constantFrom(...STRICTNESS)), {
      minLength: 1,
      maxLength: 4,
      selector: ([key]) => key,
    })
    const words = fc.array(fc.constantFrom('rm', 'git', 'log', 'x', 'sh', '&&'), {
      minLength: 1,
      maxLength: 3,
    })
    await fc.assert(
      fc.asyncProperty(entries, pattern, words, async (before, denied, command) => {
        const after: readonly Entry[] = [...before.filter(([key]) => key !== denied), [denied, 'deny']]
        expect(await strictness(after, command)).toBeGreaterThanOrEqual(await strictness(before, command))
      }),
      { numRuns: 500 },
    )
  })

  it.each<[string, readonly Entry[], readonly string[], string]>([
    [
      'the last one counts',
      [
        ['*', 'allow'],
        ['rm *', 'deny'],
      ],
      ['rm', 'x'],
      'deny',
    ],
    [
      'the last one counts',
      [
        ['*', 'allow'],
        ['rm *', 'deny'],
      ],
      ['ls'],
      'allow',
    ],
    [
      'a later exception counts',
      [
        ['*', 'deny'],
        ['git *', 'allow'],
      ],
      ['git', 'log'],
      'allow',
    ],
    [
      'a later denial counts',
      [
        ['git *', 'allow'],
        ['git push *', 'deny'],
      ],
      ['git', 'push', 'x'],
      'deny',
    ],
    [
      'an earlier exception does not',
      [
        ['git *', 'allow'],
        ['*', 'deny'],
      ],
      ['git', 'log'],
      'deny',
    ],
    ['without a rule for all a person is asked', [['git *', 'allow']], ['ls'], 'ask'],
  ])('converted rules decide as opencode does: %s (%j, %j)', async (_what, entries, words, decision) => {
    expect(STRICTNESS[await strictness(entries, words)]).toBe(decision)
  })
})
