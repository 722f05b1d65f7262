import { createHost } from '@troupe/host'
import { defineAgent, type JsonObject } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { recordEvents, verifies } from '@troupe/testkit/internal'
import { expect, it } from 'vitest'

const schema: JsonObject = { type: 'array', items: { type: 'string' } }

async function runWords(output: { readonly format: 'json'; readonly schema?: JsonObject }, text: string) {
  const host = await createHost({
    cards: [
      defineAgent({ name: 'A', instruction: 'Answer.', model: 'test/a', output: { format: 'markdown' } }),
    ],
    models: { 'test/a': scriptedModel([{ text }]) },
    cwd: import.meta.dirname,
    config: false,
  })
  try {
    return await host.run('A', 'go', { output })
  } finally {
    await host.close()
  }
}

it(`a caller that requests JSON gets the text of a Markdown agent wrapped ${verifies('C88')}`, async () => {
  expect(await runWords({ format: 'json' }, '# Hi')).toMatchObject({
    outcome: 'completed',
    output: { format: 'json', value: { format: 'markdown', content: '# Hi' } },
  })
})

it('a caller with its own schema gets a matching answer or a failed run', async () => {
  expect((await runWords({ format: 'json', schema }, '["a"]')).output.value).toEqual(['a'])
  expect((await runWords({ format: 'json', schema }, '[1]')).error?.code).toBe('output_schema_mismatch')
})

it(`the text of a child with JSON output reaches its parent as JSON ${verifies('C24', 'C29', 'C88')}`, async () => {
  const child = defineAgent({
    name: 'B',
    instruction: 'Answer.',
    model: 'test/b',
    output: { format: 'json' },
  })
  const record = recordEvents()
  const host = await createHost({
    cards: [defineAgent({ name: 'A', instruction: 'Ask.', model: 'test/a', agents: [child] })],
    models: {
      'test/a': scriptedModel([{ calls: [{ tool: 'agent__B', args: { text: 'go' } }] }, { text: 'done' }]),
      'test/b': scriptedModel([{ text: '- one' }]),
    },
    cwd: import.meta.dirname,
    config: false,
  })
  try {
    await host.run('A', 'go', { onEvent: record.listener })
  } finally {
    await host.close()
  }
  const [part] = record.of('tool-result')[0]?.content ?? []
  expect(part?.type === 'text' && JSON.parse(part.text)).toEqual({ format: 'markdown', content: '- one' })
})
