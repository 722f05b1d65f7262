import { HOSTILE_VALIDATIONS } from '@troupe/testkit/internal'

/** The messages of a hostile MCP server. Each is below the limit of 16 MiB. */
export interface HostileMcpCase {
  readonly name: string
  /** Returns the JSON of the tool list. Default: one tool `act`. */
  tools?(): string
  /** Returns the JSON of the result of `act`. */
  result?(): string
  /** Yields lines to write before the result. */
  before?(): Iterable<string>
  /** Returns a line to write in place of the whole answer. */
  line?(): string
}

const MIB = 1024 * 1024
const TEXT = '{"type":"text","text":"ok"}'
/** The most that fits into a message with its envelope. */
const FULL = 15 * MIB

function structured(json: string): string {
  return `{"resultType":"complete","content":[${TEXT}],"structuredContent":${json}}`
}

function content(blocks: string): string {
  return `{"resultType":"complete","content":[${blocks}]}`
}

function filled(unit: string, bytes: number = FULL): string {
  return Array.from({ length: Math.floor(bytes / (unit.length + 1)) }, () => unit).join(',')
}

function tool(outputSchema: unknown, name = 'act'): string {
  const inputSchema = { type: 'object' }
  return JSON.stringify({ name, description: 'Acts.', inputSchema, outputSchema })
}

function toolList(...tools: readonly string[]): string {
  return `{"resultType":"complete","ttlMs":0,"cacheScope":"public","tools":[${tools.join(',')}]}`
}

function keys(count: number): string {
  return `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')}}`
}

function patterns(count: number): object {
  const named = Array.from({ length: count }, (_, at) => [`^zz${at}x`, { type: 'string' }] as const)
  return { type: 'object', patternProperties: Object.fromEntries(named) }
}

/** Results that are valid but large. */
const LARGE: readonly HostileMcpCase[] = [
  { name: 'one text of 15 MiB', result: () => content(`{"type":"text","text":"${'a '.repeat(FULL / 2)}"}`) },
  {
    name: 'a text of 15 MiB of escapes',
    result: () => content(`{"type":"text","text":"${String.raw`\u00e9`.repeat(FULL / 6)}"}`),
  },
  { name: '400,000 blocks of text', result: () => content(filled(`{"type":"text","text":"x"}`)) },
  {
    name: 'a picture of 15 MiB',
    result: () => content(`{"type":"image","mimeType":"image/png","data":"${'iVBO'.repeat(FULL / 4)}"}`),
  },
  { name: '5 million empty lists', result: () => structured(`{"a":[${filled('[]')}]}`) },
  { name: '5 million empty objects', result: () => structured(`{"a":[${filled('{}')}]}`) },
  { name: 'lists of lists of lists', result: () => structured(`{"a":[${filled('[[[[]]]]')}]}`) },
  { name: '8 million digits', result: () => structured(`{"a":[${filled('1')}]}`) },
  { name: '2 million small objects', result: () => structured(`{"a":[${filled('{"a":1}')}]}`) },
  { name: '100,000 keys', result: () => structured(keys(99_000)) },
  {
    name: '240,000 empty objects in lists',
    result: () => structured(`{"a":[${filled('[{}]', 1_200_000)}]}`),
  },
  { name: '490,000 digits', result: () => structured(`{"a":[${filled('1', 980_000)}]}`) },
  { name: '1.2 million keys', result: () => structured(keys(1_200_000)) },
  { name: '5 million one-letter texts', result: () => structured(`{"a":[${filled('"x"')}]}`) },
  {
    name: 'a text of 300,000 numbers in one structured value',
    result: () => structured(`{"a":"${'1,'.repeat(FULL / 2)}"}`),
  },
  {
    name: 'lists a million levels deep',
    result: () => structured(`{"a":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`),
  },
  {
    name: 'objects 900 levels deep, many times',
    result: () => structured(`{"a":[${filled(`${'{"a":'.repeat(900)}1${'}'.repeat(900)}`)}]}`),
  },
  { name: 'a line of 15 MiB that is not JSON', line: () => '{"jsonrpc":'.repeat(FULL / 11) },
  { name: 'a batch of a million notifications', line: () => `[${filled('{"jsonrpc":"2.0"}')}]` },
  {
    name: '2,000 progress messages of 8 KiB',
    *before() {
      for (let at = 0; at < 2000; at += 1)
        yield `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":TOKEN,"progress":${at},"message":"${'x'.repeat(8192)}"}}`
    },
    result: () => content(TEXT),
  },
]

/** Lists of tools, and the schemas in them. */
const LISTS: readonly HostileMcpCase[] = [
  {
    name: '30,000 tools',
    tools: () =>
      toolList(
        ...Array.from({ length: 30_000 }, (_, at) =>
          tool(
            { type: 'object', properties: { [`p${at}`]: { type: 'string' } } },
            at === 0 ? 'act' : `t${at}`,
          ),
        ),
      ),
  },
  {
    name: '60 tools with schemas of 250 KiB',
    tools: () =>
      toolList(
        ...Array.from({ length: 60 }, (_, at) =>
          tool(
            { enum: Array.from({ length: 12_000 }, (__, value) => `${at}value${value}`) },
            at === 0 ? 'act' : `t${at}`,
          ),
        ),
      ),
  },
  { name: 'a list of 5 million numbers', tools: () => toolList(filled('1')) },
]

/** Output schemas that are expensive to check. */
const PROMISES: readonly HostileMcpCase[] = [
  {
    name: '400 patterns on 40,000 keys',
    tools: () => toolList(tool(patterns(400))),
    result: () => structured(keys(40_000)),
  },
  {
    name: '600 patterns on a million keys',
    tools: () => toolList(tool(patterns(600))),
    result: () => structured(keys(1_000_000)),
  },
  {
    name: 'unique items, 400,000 of them',
    tools: () => toolList(tool({ properties: { a: { uniqueItems: true } } })),
    result: () =>
      structured(`{"a":[${Array.from({ length: 400_000 }, (_, at) => `{"a":${at}}`).join(',')}]}`),
  },
  ...HOSTILE_VALIDATIONS.map(({ name, make }) => ({
    name: `an output schema: ${name}`,
    tools: () => toolList(tool({ type: 'object', properties: { value: make().schema } })),
    result: () => structured(JSON.stringify({ value: make().value })),
  })),
]

export const HOSTILE_MCP_CASES: readonly HostileMcpCase[] = [...PROMISES, ...LARGE, ...LISTS]
