import type { JsonObject } from '@troupe/schema'

/** Kind of parser that a text is for. */
export type HostileKind = 'card' | 'data' | 'address' | 'spec' | 'template' | 'env' | 'value' | 'config'

/** A text that attacks its parser by size, depth, shape or slow patterns. */
export interface HostileText {
  readonly name: string
  readonly text: string
}

/** A schema with a value that is slow to validate. */
export interface HostileSchema {
  readonly name: string
  readonly schema: JsonObject
  readonly value: JsonObject
}

/** Front matter of cards. Each causes an error. */
const FRONT_MATTER: readonly HostileText[] = [
  { name: 'aliases that multiply', text: billionLaughs(9) },
  { name: 'an anchor inside of itself', text: 'a: &a [*a]' },
  { name: 'merge keys', text: 'a: &a {b: 1}\nc: {<<: *a}' },
  { name: 'deep lists', text: `a: ${'['.repeat(30_000)}` },
  { name: 'deep mappings', text: lines(99, (at) => `${' '.repeat(at)}a:`) },
  { name: 'deep keys', text: '? '.repeat(20_000) },
  { name: 'thousands of keys', text: lines(1900, (at) => `k${at}: 1`) },
  { name: 'an endless key', text: `${'k'.repeat(60_000)}: 1` },
  { name: 'one endless line of keys', text: `limits: {${joined(6000, (at) => `k${at}: 1`, ', ')}}` },
  { name: 'a key many times', text: lines(1900, () => 'name: a') },
  { name: 'values of a wrong kind, thousands of them', text: `env: [${'1, '.repeat(9000)}1]` },
  {
    name: 'a mapping where a list belongs',
    text: `agents: {${joined(5000, (at) => `k${at}: {a: 1}`, ', ')}}`,
  },
  {
    name: 'a server with thousands of keys',
    text: `mcpServers: {a: {${joined(5000, (at) => `k${at}: 1`, ', ')}}}`,
  },
  {
    name: 'thousands of servers without a command',
    text: `mcpServers: {${joined(4000, (at) => `k${at}: {}`, ', ')}}`,
  },
  { name: 'quotes that do not end', text: `name: ${"'a ".repeat(15_000)}` },
  { name: 'an endless escape', text: `name: "${'\\'.repeat(50_001)}` },
  { name: 'a folded text of nothing', text: `name: >\n${' \n'.repeat(1900)}x: [` },
  { name: 'questions', text: lines(1900, () => '?') },
  { name: 'tags', text: `name: ${'!'.repeat(60_000)} a` },
  { name: 'tabs', text: `name: a\n${'\t'.repeat(60_000)}b: 1` },
  { name: 'commas', text: `env: [${','.repeat(60_000)}]` },
  { name: 'colons', text: ':'.repeat(60_000) },
  { name: 'flow mappings side by side', text: `x: [${'{a: 1},'.repeat(8000)}]` },
]

/** Whole card files with front matter. Each causes an error. */
const FILES: readonly HostileText[] = [
  { name: 'spaces before the end of the front matter', text: `---\n${' '.repeat(64_000)}\n---\nhi` },
  { name: 'blank lines', text: `---\nname: [\n${'\n'.repeat(1900)}---\nhi` },
  { name: 'blank lines of spaces', text: `---\nname: [\n${`${' '.repeat(30)}\n`.repeat(1900)}---\nhi` },
  { name: 'comments alone', text: `---\n${'#\n'.repeat(1990)}x: [\n---\nhi` },
  { name: 'fences', text: '---js\n'.repeat(170_000) },
  { name: 'a fence that does not end', text: `---${' '.repeat(1_000_000)}x` },
  { name: 'a first line without end', text: `#!${'x'.repeat(1_000_000)}\n---\nname: [\n---` },
  { name: 'a large file', text: `---\nname: a\n---\n${'x'.repeat(2 * 1024 * 1024)}` },
  { name: 'white space before a fence', text: `${'\n '.repeat(500_000)}---\nname: a\n---` },
]

/** YAML cards without fences, up to the maximum file size. Each causes an error. */
const DATA: readonly HostileText[] = [
  { name: 'thousands of keys', text: `instruction: x\n${lines(9000, (at) => `k${at}: 1`)}` },
  { name: 'more keys than a card may have', text: `instruction: x\n${lines(100_000, (at) => `k${at}: 1`)}` },
  { name: 'deep lists', text: `instruction: x\na: ${'['.repeat(900_000)}` },
  { name: 'one long line', text: `instruction: x\na: ${'x: '.repeat(300_000)}` },
  { name: 'quotes', text: `instruction: ${'"'.repeat(1_000_000)}` },
  { name: 'documents', text: '---\n'.repeat(200_000) },
  { name: 'anchors', text: lines(50_000, (at) => `k${at}: &a${at} 1`) },
  { name: 'a folded text of nothing', text: `instruction: >\n${' \n'.repeat(400_000)}a: [` },
]

const ADDRESSES: readonly HostileText[] = [
  { name: 'an endless host', text: `https://${'a.'.repeat(500_000)}` },
  { name: 'an endless number', text: `https://${'9'.repeat(1_000_000)}/` },
  { name: 'dots', text: `https://example.com/${'../'.repeat(300_000)}` },
  { name: 'brackets', text: `https://${'['.repeat(500_000)}` },
  { name: 'users', text: `https://${'a@'.repeat(500_000)}127.0.0.1` },
  { name: 'an address in hexadecimal', text: 'https://0x7f000001/' },
]

const SPECS: readonly HostileText[] = [
  { name: 'colons', text: ':'.repeat(1_000_000) },
  { name: 'folders above', text: `${'../'.repeat(300_000)}code.ts:run` },
  { name: 'an endless name', text: `code.ts:${'a'.repeat(1_000_000)}` },
  { name: 'another scheme', text: `data:text/javascript,${'a'.repeat(1_000_000)}:run` },
]

const TEMPLATES: readonly HostileText[] = [
  { name: 'braces that do not end', text: '{'.repeat(500_000) },
  { name: 'braces side by side', text: '{}'.repeat(250_000) },
  { name: 'placeholders', text: '{a} '.repeat(100_000) },
  { name: 'names without end', text: `{${'a'.repeat(500_000)}` },
  { name: 'unknown names', text: joined(5000, (at) => `{n${at}}`, ' ') },
  { name: 'doubled braces', text: '{{'.repeat(250_000) },
]

const ENV_FILES: readonly HostileText[] = [
  { name: 'an endless line', text: `A=${'x'.repeat(1_000_000)}` },
  { name: 'quotes that do not end', text: `A="${'\\'.repeat(500_001)}` },
  { name: 'one name in every line', text: 'A=1\n'.repeat(100_000) },
  { name: 'lines that say nothing', text: '=\n'.repeat(200_000) },
  { name: 'spaces', text: `A=${' '.repeat(500_000)}#` },
  { name: 'an endless name', text: 'A'.repeat(1_000_000) },
  { name: 'quotes that open in every line', text: 'A="x\n'.repeat(50_000) },
]

/** Configuration values with variables. */
const VALUES: readonly HostileText[] = [
  { name: 'variables that do not end', text: '${'.repeat(100_000) },
  { name: 'variables inside of variables', text: `${'${A:-'.repeat(50_000)}${'}'.repeat(50_000)}` },
  { name: 'dollars', text: '$'.repeat(500_000) },
  { name: 'variables side by side', text: '${A}'.repeat(100_000) },
  { name: 'escapes', text: '$${'.repeat(150_000) },
]

const CONFIGS: readonly HostileText[] = [
  { name: 'deep lists', text: `{"server": ${'['.repeat(200_000)}` },
  { name: 'deep lists that end', text: `{"server": ${'['.repeat(10_000)}${']'.repeat(10_000)}}` },
  {
    name: 'thousands of keys',
    text: JSON.stringify(Object.fromEntries(count(20_000, (at) => [`k${at}`, 1]))),
  },
  {
    name: 'thousands of servers',
    text: JSON.stringify({ mcpServers: Object.fromEntries(count(5000, (at) => [`k${at}`, { x: 1 }])) }),
  },
  { name: 'an endless text', text: `{"agents": ["${'x'.repeat(1_000_000)}` },
  { name: 'a key twice, far apart', text: `{"a": 1, ${joined(20_000, (at) => `"k${at}": 1`, ',')}, "a": 1}` },
]

const RUN_OF_A = `${'a'.repeat(50_000)}!`
const PATTERNS: readonly string[] = [
  '^(a+)+$',
  '^(a|aa)+$',
  '^(.*a){20}$',
  '^([a-z]+)*$',
  '(?=a)a+$',
  '^(\\w*\\s*)*$',
]

/** Hostile texts by kind. */
export const HOSTILE_TEXTS: Readonly<Record<HostileKind, readonly HostileText[]>> = {
  card: [...FRONT_MATTER.map(({ name, text }) => ({ name, text: `---\n${text}\n---\nhi` })), ...FILES],
  data: DATA,
  address: ADDRESSES,
  spec: SPECS,
  template: TEMPLATES,
  env: ENV_FILES,
  value: VALUES,
  config: CONFIGS,
}

/** Hostile schemas with values. */
export const HOSTILE_SCHEMAS: readonly HostileSchema[] = [
  ...PATTERNS.map((pattern) => ({
    name: `the pattern ${pattern}`,
    schema: { type: 'object', properties: { x: { type: 'string', pattern } } },
    value: { x: RUN_OF_A },
  })),
  {
    name: 'a schema that holds itself, with a value 5,000 deep',
    schema: { type: 'object', properties: { down: { $ref: '#' } } },
    value: nested(5000),
  },
  {
    name: 'choices that multiply',
    schema: choices(12),
    value: nested(12),
  },
  {
    name: 'items that must differ',
    schema: { type: 'object', properties: { x: { type: 'array', uniqueItems: true } } },
    value: { x: count(5000, (at) => ({ at })) },
  },
]

function lines(length: number, line: (at: number) => string): string {
  return joined(length, line, '\n')
}

function joined(length: number, part: (at: number) => string, by: string): string {
  return count(length, part).join(by)
}

function count<T>(length: number, make: (at: number) => T): readonly T[] {
  return Array.from({ length }, (_, at) => make(at))
}

function billionLaughs(levels: number): string {
  return ['a0: &a0 [x]', ...count(levels, (at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(9)}]`)].join(
    '\n',
  )
}

function nested(levels: number): JsonObject {
  let value: JsonObject = {}
  for (let level = 0; level < levels; level += 1) value = { down: value }
  return value
}

function choices(levels: number): JsonObject {
  let schema: JsonObject = { type: 'string' }
  for (let level = 0; level < levels; level += 1)
    schema = { type: 'object', properties: { down: { anyOf: [schema, schema] } } }
  return schema
}
