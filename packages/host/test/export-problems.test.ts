import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { openTeam, codes } from './support/open-team.ts'

const PARAMETERS = 'parameters: {type: object, properties: {destination: {type: string}}}'

/** A card of ours with these tools; the first of them begins at line 7. */
function ours(...tools: readonly string[]): Readonly<Record<string, string>> {
  const head = ['---', 'name: A', 'description: a', 'model: passthrough', 'exports:', '  tools:']
  return { 'a.md': [...head, ...tools, '---', 'Help.', ''].join('\n') }
}

function tool(prompt: string, name = 'book'): string {
  return `    - name: ${name}\n      description: Books.\n      ${PARAMETERS}\n      prompt: ${prompt}`
}

async function problemsOf(files: Readonly<Record<string, string>>) {
  const { plan } = await openTeam(files)
  return plan().problems
}

describe('problems of exported tools', () => {
  it(`unknown placeholders in a prompt are reported with their position ${verifies('R15', 'D25')}`, async () => {
    const problems = await problemsOf(ours(tool('To {destination}, {destinaton} please')))
    expect(problems).toEqual([
      expect.objectContaining({
        severity: 'error',
        code: 'template_unknown_placeholder',
        message: 'The prompt of book has the unknown placeholder {destinaton}; did you mean {destination}?',
        line: 10,
        column: 33,
      }),
    ])
  })

  it('unknown placeholders in a cache key are reported', async () => {
    const problems = await problemsOf(
      ours(`${tool('To {destination}')}\n      cache: {ttl: 1m, key: '{city}'}`),
    )
    expect(problems).toMatchObject([
      {
        code: 'template_unknown_placeholder',
        message: expect.stringContaining('The cache key of book has the unknown placeholder {city}'),
      },
    ])
  })

  it(`\`needs\` that do not exist are reported with their position in the card ${verifies('D53')}`, async () => {
    const problems = await problemsOf(ours(`${tool('To {destination}')}\n      needs: [visa]`))
    expect(problems).toEqual([
      expect.objectContaining({
        severity: 'error',
        code: 'export_need_unmet',
        message: 'exports.tools: book needs visa, which does not exist. Existing tools: book.',
        line: 11,
        column: 15,
      }),
    ])
  })

  it('each unknown placeholder in a long prompt is reported in its own line', async () => {
    const problems = await problemsOf(
      ours(tool('|\n        Go to {destination}.\n        {x}\n        and {x}')),
    )
    expect(problems.map(({ line, column }) => [line, column])).toEqual([
      [12, 9],
      [13, 13],
    ])
  })

  it('an unknown placeholder in a card of another product is a warning, and the tool is kept', async () => {
    const problems = await problemsOf({
      'a.yaml': JSON.stringify({
        systemPrompt: 'Help.',
        metadata: {
          name: 'A',
          description: 'a',
          tools: [
            {
              name: 'book',
              description: 'x',
              parameters: { type: 'object', properties: {} },
              prompt: 'To {x}',
            },
          ],
        },
      }),
    })
    expect(problems.filter(({ code }) => code === 'template_unknown_placeholder')).toMatchObject([
      { severity: 'warning', file: expect.stringContaining('a.yaml') },
    ])
  })

  it('two exported tools with the same name are an error', async () => {
    const problems = await problemsOf(ours(tool('a'), tool('b')))
    expect(problems).toMatchObject([{ severity: 'error', code: 'tool_name_conflict', line: 11 }])
  })

  it('parameters that are not a valid JSON Schema are an error', async () => {
    const bad = tool('a').replace('{type: string}', "{$ref: 'https://example.org/x.json'}")
    expect(await problemsOf(ours(bad))).toMatchObject([
      { severity: 'error', code: 'tool_schema_invalid', line: 9 },
    ])
  })

  it('a check warns about parameters that some models of MCP hosts do not support', async () => {
    const bad = tool('a').replace('{type: object, ', '{type: object, anyOf: [{required: [destination]}], ')
    expect(await problemsOf(ours(bad))).toMatchObject([
      {
        severity: 'warning',
        code: 'tool_schema_refused',
        line: 9,
        message: expect.stringMatching(
          /openai or anthropic may be unable to offer book, because of anyOf of the root/u,
        ),
      },
    ])
  })

  it('exported tools with every kind of placeholder have no problems', async () => {
    expect(codes(await problemsOf(ours(tool("'{name}: {tool.name} to {destination} {{x}}'"))))).toEqual([])
  })
})

it(`a check warns about an agent that has no tools left without approvals ${verifies('R16')}`, async () => {
  const files = ours(tool('a'))
  const text = files['a.md']?.replace(
    'exports:',
    'functionTools: [code.mjs:wipe]\ntoolPermission: always\nexports:',
  )
  const problems = await problemsOf({ 'a.md': text ?? '', 'code.mjs': 'export const wipe = () => 1\n' })
  expect(problems).toMatchObject([{ severity: 'warning', code: 'headless_no_tools' }])
})
