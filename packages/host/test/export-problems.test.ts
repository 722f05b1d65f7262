import { verifies } from '@troupe/testkit'
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

describe('the tools that an agent itself offers', () => {
  it(`may only have placeholders that name something; others are told with their place ${verifies('R15', 'D25')}`, async () => {
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

  it('may only have a cache key whose placeholders name something', async () => {
    const problems = await problemsOf(
      ours(`${tool('To {destination}')}\n      cache: {ttl: 1m, key: '{city}'}`),
    )
    expect(problems).toMatchObject([
      {
        code: 'template_unknown_placeholder',
        message: expect.stringContaining('The cache key of book has {city}'),
      },
    ])
  })

  it(`may only need tools that are there, in their place of the card ${verifies('D53')}`, async () => {
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

  it('are told of in the line of a long prompt, each time', async () => {
    const problems = await problemsOf(
      ours(tool('|\n        Go to {destination}.\n        {x}\n        and {x}')),
    )
    expect(problems.map(({ line, column }) => [line, column])).toEqual([
      [12, 9],
      [13, 13],
    ])
  })

  it('stay with a warning where another product wrote the card', async () => {
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

  it('have each a name of their own', async () => {
    const problems = await problemsOf(ours(tool('a'), tool('b')))
    expect(problems).toMatchObject([{ severity: 'error', code: 'tool_name_conflict', line: 11 }])
  })

  it('have parameters that arguments can be checked against', async () => {
    const bad = tool('a').replace('{type: string}', "{$ref: 'https://example.org/x.json'}")
    expect(await problemsOf(ours(bad))).toMatchObject([
      { severity: 'error', code: 'tool_schema_invalid', line: 9 },
    ])
  })

  it('are offered by hosts to models that take a part of JSON Schema, of which the check warns', async () => {
    const bad = tool('a').replace('{type: object, ', '{type: object, anyOf: [{required: [destination]}], ')
    expect(await problemsOf(ours(bad))).toMatchObject([
      {
        severity: 'warning',
        code: 'tool_schema_refused',
        line: 9,
        message: expect.stringMatching(
          /openai or anthropic may not be able to offer book, for anyOf of the root/u,
        ),
      },
    ])
  })

  it('are good with every kind of placeholder', async () => {
    expect(codes(await problemsOf(ours(tool("'{name}: {tool.name} to {destination} {{x}}'"))))).toEqual([])
  })
})

it(`a check warns of an agent that has no tool left where nobody is asked ${verifies('R16')}`, async () => {
  const files = ours(tool('a'))
  const text = files['a.md']?.replace(
    'exports:',
    'functionTools: [code.mjs:wipe]\ntoolPermission: always\nexports:',
  )
  const problems = await problemsOf({ 'a.md': text ?? '', 'code.mjs': 'export const wipe = () => 1\n' })
  expect(problems).toMatchObject([{ severity: 'warning', code: 'headless_no_tools' }])
})
