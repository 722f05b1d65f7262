import { HOSTILE_VALIDATIONS } from '@troupe/testkit/internal'

/** A request whose body is below the limit of 1 MiB. */
export interface HostileRequestCase {
  readonly name: string
  readonly path: string
  body(): string
}

const MIB = 1024 * 1024
/** The agent whose model repeats its input. */
const PARROT = 'Parrot'

function filled(unit: string): string {
  return Array.from({ length: Math.floor((MIB - 200) / (unit.length + 1)) }, () => unit).join(',')
}

function inputOf(json: string): string {
  return `{"input":{"a":${json}}}`
}

/** Cases in which the schema and the answer come from the caller: the model repeats the message. */
const SCHEMAS: readonly HostileRequestCase[] = HOSTILE_VALIDATIONS.flatMap(({ name, make }) => [
  {
    name: `REST: ${name}`,
    path: `/v1/${PARROT}`,
    body: () => JSON.stringify({ q: JSON.stringify(make().value), schema: make().schema }),
  },
  {
    name: `OpenAI response_format: ${name}`,
    path: '/openai/v1/chat/completions',
    body: () => {
      const { schema, value } = make()
      return JSON.stringify({
        model: PARROT,
        messages: [{ role: 'user', content: JSON.stringify(value) }],
        response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
      })
    },
  },
  {
    name: `Anthropic output_config: ${name}`,
    path: '/anthropic/v1/messages',
    body: () => {
      const { schema, value } = make()
      return JSON.stringify({
        model: PARROT,
        max_tokens: 100,
        messages: [{ role: 'user', content: JSON.stringify(value) }],
        output_config: { format: { type: 'json_schema', schema } },
      })
    },
  },
])

/** Answers that are only large in depth: the text is far below the limit of a body, and its brackets are in a string. */
const DEPTHS: readonly HostileRequestCase[] = [65, 3000, 20_000, 100_000].map((levels) => ({
  name: `REST: an answer nested ${levels} deep`,
  path: `/v1/${PARROT}`,
  body: () =>
    JSON.stringify({
      q: `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`,
      schema: { type: 'object' },
      format: 'json',
    }),
}))

const BODIES: readonly HostileRequestCase[] = [
  ['half a million digits', inputOf(`[${filled('1')}]`)],
  ['350,000 empty lists', inputOf(`[${filled('[]')}]`)],
  ['350,000 empty objects', inputOf(`[${filled('{}')}]`)],
  ['260,000 texts', inputOf(`[${filled('"x"')}]`)],
  ['110,000 keys', inputOf(`{${Array.from({ length: 88_000 }, (_, at) => `"${at}x":1`).join(',')}}`)],
  ['one key many times', inputOf(`{${filled('"a":1')}}`)],
  ['a million brackets', inputOf('['.repeat(MIB - 200))],
  ['one long text', `{"q":"${'x '.repeat(MIB / 2 - 100)}"}`],
  ['a text of escapes', `{"q":"${'\\"'.repeat(MIB / 2 - 100)}"}`],
  ['numbers of a million digits', inputOf('1'.repeat(MIB - 200))],
].map(([name = '', body = '']) => ({ name: `body: ${name}`, path: `/v1/${PARROT}`, body: () => body }))

const MESSAGES: readonly HostileRequestCase[] = [
  {
    name: 'OpenAI: 20,000 messages',
    path: '/openai/v1/chat/completions',
    body: () => `{"model":"${PARROT}","messages":[${filled('{"role":"user","content":"a"}').slice(0, -1)}}]}`,
  },
  {
    name: 'Anthropic: 20,000 parts of one message',
    path: '/anthropic/v1/messages',
    body: () =>
      `{"model":"${PARROT}","max_tokens":9,"messages":[{"role":"user","content":[${filled('{"type":"text","text":"a"}')}]}]}`,
  },
  {
    name: 'AI SDK: 15,000 parts',
    path: '/api/chat',
    body: () =>
      `{"id":"1","agent":"${PARROT}","messages":[{"id":"1","role":"user","parts":[${filled('{"type":"text","text":"a"}')}]}]}`,
  },
  {
    name: 'AG-UI: 10,000 messages',
    path: `/agui/${PARROT}`,
    body: () =>
      `{"threadId":"1","runId":"1","tools":[],"context":[],"messages":[${filled('{"id":"1","role":"user","content":"a"}')}]}`,
  },
  {
    name: 'A2A: 30,000 parts',
    path: `/a2a/${PARROT}`,
    body: () =>
      `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"1","role":"ROLE_USER","parts":[${filled('{"text":"a"}')}]}}}`,
  },
  {
    name: 'MCP: arguments of 120,000 lists',
    path: '/mcp',
    body: () =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${PARROT}","arguments":{"text":"a","a":[${filled('[1]')}]}}}`,
  },
]

export const HOSTILE_REQUEST_CASES: readonly HostileRequestCase[] = [
  ...SCHEMAS,
  ...DEPTHS,
  ...BODIES,
  ...MESSAGES,
]
