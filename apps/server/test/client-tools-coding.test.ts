import { describe, expect, it } from 'vitest'
import { coder } from './support/coder.ts'
import { allEvents } from './support/read-events.ts'
import { serveTeam } from './support/serve-team.ts'

const SCHEMA = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: { file_path: { type: 'string' }, content: { type: 'string' } },
  required: ['file_path', 'content'],
  additionalProperties: false,
}
const TWO_WRITES = (tool: string) => ({
  reasoning: 'Both files are new.',
  text: 'I write both.',
  calls: [
    { tool, args: { file_path: 'a.ts', content: 'a' } },
    { tool, args: { file_path: 'b.ts', content: 'b' } },
  ],
})

async function post(url: string, body: object, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
  return allEvents(response)
}

function dataOf(events: Awaited<ReturnType<typeof post>>): readonly Record<string, never>[] {
  return events.map(({ data }) => data as Record<string, never>)
}

describe('requests of coding clients', () => {
  it('Claude Code makes two files by parallel calls through an agent', async () => {
    const team = coder([TWO_WRITES('Write'), { text: 'Done.' }])
    const { url } = await serveTeam(team)
    expect((await fetch(`${url}/anthropic/api/hello`, { method: 'HEAD' })).status).toBe(404)
    const cached = { cache_control: { type: 'ephemeral' } }
    const body = {
      model: 'Coder',
      max_tokens: 32_000,
      stream: true,
      system: ['You are Claude Code.', 'Be concise.', 'Environment: linux'].map((text) => ({
        type: 'text',
        text,
        ...cached,
      })),
      tools: [
        { name: 'Write', description: 'Writes a file.', input_schema: SCHEMA },
        { name: 'WebFetch', description: 'Fetches.', input_schema: SCHEMA, defer_loading: true },
      ],
      thinking: { type: 'adaptive', display: 'omitted' },
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      output_config: { effort: 'high' },
      metadata: { user_id: 'user' },
    }
    const user = { role: 'user', content: [{ type: 'text', text: 'Write two files.', ...cached }] }
    const reminder = { role: 'system', content: [{ type: 'text', text: 'The date is 2026-11-22.' }] }
    const path = `${url}/anthropic/v1/messages?beta=true`
    const first = dataOf(await post(path, { ...body, messages: [user, reminder] }))
    const calls = first.flatMap(({ content_block: block }) => {
      const { type, id, name } = (block ?? {}) as Record<string, string>
      return type === 'tool_use' ? [{ type, id, name, input: { file_path: 'a.ts', content: 'a' } }] : []
    })
    expect(calls).toHaveLength(2)
    const second = await post(path, {
      ...body,
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Write two files.' }] },
        { role: 'system', content: 'The date is 2026-11-22.' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: '', signature: 'sealed' },
            { type: 'text', text: 'I write both.' },
            ...calls,
          ],
        },
        {
          role: 'user',
          content: calls.map(({ id }) => ({
            type: 'tool_result',
            tool_use_id: id,
            content: 'File created successfully.',
            ...cached,
          })),
        },
      ],
    })
    expect(JSON.stringify(second)).toContain('Done.')
    expect(team.model.calls).toHaveLength(2)
    expect(team.model.calls[0]?.tools).toEqual(['note', 'Write', 'WebFetch'])
  })

  it('Codex makes two files by parallel calls through an agent', async () => {
    const team = coder([TWO_WRITES('files__write'), { text: 'Done.' }])
    const { url } = await serveTeam(team)
    const write = {
      type: 'function',
      name: 'write',
      description: 'Writes.',
      strict: false,
      parameters: SCHEMA,
    }
    const body = {
      model: 'Coder',
      stream: true,
      store: false,
      tool_choice: 'auto',
      parallel_tool_calls: true,
      include: ['reasoning.encrypted_content'],
      reasoning: { summary: 'auto' },
      prompt_cache_key: 'thread',
      tools: [
        { ...write, name: 'shell' },
        { type: 'namespace', name: 'files', description: 'Files.', tools: [write] },
        { type: 'web_search', external_web_access: false },
      ],
    }
    const input = [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Sandbox: on.' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Write two files.' }] },
    ]
    const path = `${url}/openai/v1/responses`
    const first = dataOf(await post(path, { ...body, input }))
    const { output } = (first.at(-1)?.['response'] ?? {}) as {
      readonly output: readonly { readonly type: string }[]
    }
    const calls = output.filter(({ type }) => type === 'function_call') as unknown as readonly {
      readonly call_id: string
    }[]
    expect(calls).toMatchObject([
      { name: 'write', namespace: 'files' },
      { name: 'write', namespace: 'files' },
    ])
    const reasoning = { type: 'reasoning', summary: [], encrypted_content: 'sealed' }
    const second = await post(path, {
      ...body,
      input: [
        ...input,
        reasoning,
        ...output,
        ...calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: 'Success.' })),
      ],
    })
    expect(JSON.stringify(second)).toContain('Done.')
    expect(team.model.calls).toHaveLength(2)
    expect(team.model.calls[0]?.tools).toEqual(['note', 'shell', 'files__write'])
  })

  it('opencode makes two files by parallel calls through an agent, and requests a title without tools', async () => {
    const team = coder([{ text: 'A title' }, TWO_WRITES('write'), { text: 'Done.' }])
    const { url } = await serveTeam(team)
    const body = { model: 'Coder', max_tokens: 32_000, stream: true, stream_options: { include_usage: true } }
    const messages = [
      { role: 'system', content: 'You are opencode.' },
      { role: 'user', content: 'Write two files.' },
    ]
    const path = `${url}/openai/v1/chat/completions`
    const title = await post(path, { ...body, messages })
    expect(JSON.stringify(title)).toContain('title')
    expect(team.model.calls[0]?.tools).toEqual(['note'])
    const tools = [
      { type: 'function', function: { name: 'write', description: 'Writes.', parameters: SCHEMA } },
    ]
    const first = dataOf(await post(path, { ...body, messages, tools, tool_choice: 'auto' }))
    const ids = first.flatMap(({ choices }) => {
      const [choice] = (choices ?? []) as readonly {
        readonly delta: { readonly tool_calls?: readonly { readonly id?: string }[] }
      }[]
      return (choice?.delta.tool_calls ?? []).flatMap(({ id }) => id ?? [])
    })
    expect(ids).toHaveLength(2)
    const called = { name: 'write', arguments: '{"file_path":"a.ts","content":"a"}' }
    const second = await post(path, {
      ...body,
      tools,
      messages: [
        ...messages,
        {
          role: 'assistant',
          content: 'I write both.',
          tool_calls: ids.map((id) => ({ id, type: 'function', function: called })),
        },
        ...ids.map((id) => ({ role: 'tool', tool_call_id: id, content: 'Wrote file.' })),
      ],
    })
    expect(JSON.stringify(second)).toContain('Done.')
    expect(team.model.calls).toHaveLength(3)
  })
})
