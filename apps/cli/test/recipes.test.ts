import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { startFakeOpenAI, type FakeAnswer, type FakeProvider, type RecordedRequest } from '@troupe/testkit'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { project, troupeIn, type Ended } from './team.ts'

/** An MCP server with a tool that finds and one that removes; it writes down each call. */
const STOCK_SERVER = `
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
const inputSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
const tools = [
  { name: 'find', description: 'Finds a thing.', inputSchema, annotations: { readOnlyHint: true } },
  { name: 'remove', description: 'Removes a thing.', inputSchema, annotations: { destructiveHint: true } },
]
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'stock', version: '1.0.0' } }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name, arguments: args }) => {
    appendFileSync(new URL('calls.txt', import.meta.url), name + ' ' + args.name + '\\n')
    return { content: [{ type: 'text', text: name + ' of ' + args.name + ': done' }] }
  },
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const result = answers[method]?.(params)
  const answer = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
})
`

/** A request of the program, as the model reads it. */
interface Turn {
  readonly system: string
  readonly user: string
  /** Results of tools so far. */
  readonly results: readonly string[]
  readonly tools: readonly string[]
  readonly body: JsonObject
}

function turnOf({ body }: RecordedRequest): Turn {
  if (!isJsonObject(body)) throw new TypeError('the request has no JSON object')
  const messages = objectsOf(body['messages'])
  const textsOf = (role: string): readonly string[] =>
    messages.filter((message) => message['role'] === role).map(({ content }) => JSON.stringify(content))
  return {
    system: messages
      .filter(({ role }) => role === 'system')
      .map(({ content }) => textOf(content))
      .join('\n'),
    user: textsOf('user').join('\n'),
    results: textsOf('tool'),
    tools: objectsOf(body['tools']).map((tool) =>
      isJsonObject(tool['function']) ? textOf(tool['function']['name']) : '',
    ),
    body,
  }
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function objectsOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : []
}

/** Starts a provider whose answers depend on the agent, found by its prompt, and the number of results it has. */
async function startProvider(
  answers: Readonly<Record<string, readonly FakeAnswer[]>>,
): Promise<FakeProvider> {
  const provider = await startFakeOpenAI({
    answers: (request) => {
      const { system, results } = turnOf(request)
      const [, found] = Object.entries(answers).find(([prompt]) => system.includes(prompt)) ?? []
      return found?.[results.length] ?? { status: 400, message: `no answer for: ${system}` }
    },
  })
  onTestFinished(() => provider.close())
  return provider
}

async function runIn(
  files: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<Ended & { readonly path: string }> {
  const { path } = await project(files)
  return { path, ...(await troupeIn(path, args)) }
}

const RECIPE = `version: "1.0.0"
title: Release notes
description: Writes the notes of a release.
author: { contact: docs }
activities: ["Write the notes"]
instructions: |
  You write release notes in {{ tone }} words.
  {% if tone == "plain" %}Avoid jargon.{% else %}Use the terms of the field.{% endif %}
prompt: Write the notes of version {{ version }}.
parameters:
  - { key: version, input_type: string, requirement: optional, default: "2.0", description: the version }
  - { key: tone, input_type: select, requirement: optional, default: plain, options: [plain, technical], description: the tone }
extensions:
  - { type: builtin, name: developer, timeout: 300, bundled: true, available_tools: [text_editor] }
settings: { goose_provider: openai, goose_model: gpt-4.1, temperature: 0.2, max_turns: 6 }
sub_recipes:
  - name: collect_changes
    path: ./collect.yaml
    description: Collects the changes of one area.
    values: { since: "{{ version }}" }
response:
  json_schema:
    type: object
    properties: { notes: { type: string } }
    required: [notes]
`
const SUB_RECIPE = `version: "1.0.0"
title: Changes
description: Lists changes.
instructions: You list changes.
prompt: List the changes of {{ area }} since {{ since }}.
parameters:
  - { key: area, input_type: string, requirement: required, description: the area }
  - { key: since, input_type: string, requirement: required, description: the version }
settings: { goose_provider: openai, goose_model: gpt-4.1-mini }
`

describe('a goose recipe', () => {
  const answers = {
    'You write release notes': [
      { calls: [{ name: 'collect_changes', args: { area: 'the server' } }] },
      { text: '{"notes": "The server is faster."}' },
    ],
    'You list changes': [{ text: 'faster start' }],
  }
  const filesOf = ({ baseURL }: FakeProvider): Readonly<Record<string, string>> => ({
    'release.yaml': RECIPE,
    'collect.yaml': SUB_RECIPE,
    'troupe.env': `OPENAI_API_KEY=key-1\nOPENAI_BASE_URL=${baseURL}\n`,
  })

  it(`a goose recipe starts without a message: its prompt with the defaults is the first ${verifies('R4')}`, async () => {
    const provider = await startProvider(answers)
    const { out, err, code } = await runIn(filesOf(provider), ['run', 'release.yaml'])
    expect([err, code]).toEqual([expect.stringContaining('collect'), 0])
    expect(JSON.parse(out)).toEqual({ notes: 'The server is faster.' })
    const [first, child, last] = provider.requests.map(turnOf)
    expect(first?.system).toContain('You write release notes in plain words.\nAvoid jargon.')
    expect(first?.user).toBe('"Write the notes of version 2.0."')
    expect(first?.body).toMatchObject({ model: 'gpt-4.1', temperature: 0.2 })
    expect(first?.tools).toEqual(['filesystem_read', 'filesystem_write', 'collect_changes'])
    expect(JSON.stringify(first?.body['tools'])).not.toContain('since')
    expect(child?.body).toMatchObject({ model: 'gpt-4.1-mini' })
    expect(child?.user).toContain('List the changes of the server since 2.0.')
    expect(last?.results).toEqual([expect.stringContaining('faster start')])
  })

  it('the values of a goose recipe fill in its prompts and those of its sub-recipes', async () => {
    const provider = await startProvider(answers)
    const values = JSON.stringify({ version: '3.1', tone: 'technical' })
    const { code } = await runIn(filesOf(provider), ['run', 'release.yaml', values])
    expect(code).toBe(0)
    const [first, child] = provider.requests.map(turnOf)
    expect(first?.system).toContain(
      'You write release notes in technical words.\nUse the terms of the field.',
    )
    expect(first?.user).toBe('"Write the notes of version 3.1."')
    expect(child?.user).toContain('List the changes of the server since 3.1.')
  })
})

const DOCKER_TEAM = `version: "8"
metadata: { author: docs, tags: [example] }
providers:
  house: { provider: openai, api_type: openai_chatcompletions, base_url: "\${env.LLM_URL}", token_key: LLM_KEY }
models:
  small: { provider: house, model: small-1, max_tokens: 400 }
mcps:
  stock: { command: node, args: [server.mjs] }
permissions:
  allow: ["mcp:stock:find", "mcp:stock:remove:name=old*"]
  deny: ["mcp:stock:remove:name=new*"]
agents:
  root:
    model: small
    description: Leads the archive.
    instruction: You lead the archive.
    sub_agents: [clerk]
    commands:
      tidy: { description: Tidies a stock., instruction: "Tidy \${args[0]} with {care}." }
  clerk:
    model: small
    description: Keeps the stock.
    instruction: You keep the stock.
    handoffs: [writer]
    use_toolsets: [stock]
  writer:
    model: small
    description: Writes reports.
    instruction: You write reports.
toolsets:
  stock: { type: mcp, ref: stock, instruction: Look before you remove. }
`

describe('a team of docker-agent', () => {
  const filesOf = ({ baseURL }: FakeProvider): Readonly<Record<string, string>> => ({
    'team.yaml': DOCKER_TEAM,
    'server.mjs': STOCK_SERVER,
    'troupe.env': `LLM_KEY=key-1\nLLM_URL=${baseURL}\n`,
  })

  it(`a team of docker-agent hands over, calls its server and keeps its permissions ${verifies('R16')}`, async () => {
    const provider = await startProvider({
      'You lead the archive': [
        { calls: [{ name: 'agent__clerk', args: { text: 'Clear the stock.' } }] },
        { text: 'The stock is clear.' },
      ],
      'You keep the stock': [
        { calls: [{ name: 'stock__find', args: { name: 'maps' } }] },
        { calls: [{ name: 'stock__remove', args: { name: 'old maps' } }] },
        { calls: [{ name: 'stock__remove', args: { name: 'new maps' } }] },
        { calls: [{ name: 'agent__writer', args: { text: 'Old maps are gone.' } }] },
        { text: 'Done, with a report.' },
      ],
      'You write reports': [{ text: 'Report: old maps are gone.' }],
    })
    const { out, err, path, code } = await runIn(filesOf(provider), [
      'run',
      'team.yaml',
      'Clear it.',
      '--yes',
    ])
    expect([err, code]).toEqual([expect.stringContaining('writer'), 0])
    expect(out).toBe('The stock is clear.\n')
    expect(await readFile(join(path, 'calls.txt'), 'utf8')).toBe('find maps\nremove old maps\n')
    const turns = provider.requests.map(turnOf)
    const clerk = turns.filter(({ system }) => system.includes('You keep the stock'))
    expect(clerk[0]?.system).toContain('Look before you remove.')
    expect(clerk[0]?.tools).toEqual(['stock__find', 'stock__remove', 'agent__writer'])
    expect(clerk[0]?.body).toMatchObject({ model: 'small-1', max_tokens: 400 })
    expect(clerk.at(-1)?.results).toEqual([
      expect.stringContaining('find of maps: done'),
      expect.stringContaining('remove of old maps: done'),
      expect.stringContaining('A rule forbids this call to stock__remove'),
      expect.stringContaining('Report: old maps are gone.'),
    ])
    expect(provider.requests.every(({ headers }) => headers['authorization'] === 'Bearer key-1')).toBe(true)
  })

  it('a command of docker-agent is sent to its agent with the arguments in place', async () => {
    const provider = await startProvider({ 'You lead the archive': [{ text: 'It is tidy.' }] })
    const args = ['tools', 'call', 'team.yaml', 'tidy', '--args', '{"argument1": "the attic"}']
    const { out, err, code } = await runIn(filesOf(provider), args)
    expect([err, code]).toEqual([expect.any(String), 0])
    expect(out).toBe('It is tidy.\n')
    expect(provider.requests.map(turnOf)[0]?.user).toContain('Tidy the attic with {care}.')
  })
})

const CONCIERGE = `metadata:
  name: Concierge
  description: Helps guests.
  version: 1.0.2
  created: 2026-01-05T10:00:00.000Z
  lastAccessed: 2026-01-05T10:00:00.000Z
settings:
  maxChatTurns: "8"
  maxOutputTokens: "600"
  temperature: "0"
  model: openai:gpt-4.1
  toolPermission: tool
  theme: light
systemPrompt: You help the guests of a hotel.
rules:
  - { name: polite, description: Manners., priorityLevel: 100, text: Be polite., include: always }
  - { name: short, description: Length., priorityLevel: 50, text: Be brief., include: always }
references:
  - { name: hours, description: Opening hours., priorityLevel: 500, text: The bar opens at six., include: always }
  - { name: menu, description: What the kitchen serves., priorityLevel: 500, text: Soup and bread., include: agent }
providers:
  openai: { OPENAI_API_KEY: "env://HOTEL_KEY" }
  ollama: {}
mcpServers:
  stock:
    type: stdio
    command: node
    args: [server.mjs]
    serverToolDefaults: { permissionRequired: true, include: always }
    tools:
      find: { permissionRequired: false }
`
const PORTER = `metadata:
  name: Porter
  description: Carries bags.
  autonomous: true
  created: 2026-01-05T10:00:00.000Z
  lastAccessed: 2026-01-05T10:00:00.000Z
  tools:
    - name: carry
      description: Carries a bag to a room.
      parameters: { type: object, properties: { room: { type: string } }, required: [room] }
      prompt: Carry the bag to room {room}.
settings: { model: "openai:gpt-4.1", toolPermission: tool }
systemPrompt: You carry bags.
rules: []
references: []
providers: { openai: { OPENAI_API_KEY: "env://HOTEL_KEY" } }
mcpServers:
  stock:
    type: stdio
    command: node
    args: [server.mjs]
    tools: { find: { permissionRequired: false } }
`

describe('a workspace of tsagent', () => {
  const filesOf = ({ baseURL }: FakeProvider): Readonly<Record<string, string>> => ({
    'agents/concierge.yaml': CONCIERGE,
    'agents/porter.yaml': PORTER,
    'agents/server.mjs': STOCK_SERVER,
    'agents/.env': `HOTEL_KEY=key-1\nOPENAI_BASE_URL=${baseURL}\n`,
  })

  it(`an agent of tsagent has its rules, references and tools, and asks for the others ${verifies('R16')}`, async () => {
    const provider = await startProvider({
      'You help the guests': [
        { calls: [{ name: 'skill_read', args: { name: 'menu' } }] },
        { calls: [{ name: 'stock__find', args: { name: 'umbrella' } }] },
        { calls: [{ name: 'stock__remove', args: { name: 'umbrella' } }] },
        { text: 'There is soup, and an umbrella.' },
      ],
    })
    const { out, err, path, code } = await runIn(filesOf(provider), [
      'run',
      'agents/concierge.yaml',
      'Help me.',
    ])
    expect([err, code]).toEqual([expect.stringContaining('stock__remove'), 0])
    expect(out).toBe('There is soup, and an umbrella.\n')
    expect(await readFile(join(path, 'agents', 'calls.txt'), 'utf8')).toBe('find umbrella\n')
    const [first, , , last] = provider.requests.map(turnOf)
    expect(first?.system).toContain(
      'You help the guests of a hotel.\n\nReference: The bar opens at six.\n\nRule: Be brief.\n\nRule: Be polite.',
    )
    expect(first?.system).toContain('What the kitchen serves.')
    expect(first?.system).not.toContain('Soup and bread.')
    expect(first?.tools).toEqual(['stock__find', 'stock__remove', 'skill_read'])
    expect(first?.body).toMatchObject({ model: 'gpt-4.1', temperature: 0 })
    expect(last?.results).toEqual([
      expect.stringContaining('Soup and bread.'),
      expect.stringContaining('find of umbrella: done'),
      expect.stringContaining('approv'),
    ])
  })

  it(`an autonomous agent of tsagent gets no tool that needs permission, and its exported tools run ${verifies('R16')}`, async () => {
    const provider = await startProvider({ 'You carry bags': [{ text: 'The bag is there.' }] })
    const args = ['tools', 'call', 'agents/porter.yaml', 'carry', '--args', '{"room": "12"}']
    const { out, err, code } = await runIn(filesOf(provider), args)
    expect([err, code]).toEqual([expect.any(String), 0])
    expect(out).toBe('The bag is there.\n')
    const [first] = provider.requests.map(turnOf)
    expect(first?.user).toContain('Carry the bag to room 12.')
    expect(first?.tools).toEqual(['stock__find'])
  })

  it('each agent of a workspace of tsagent is found by its name in the folder', async () => {
    const provider = await startProvider({ 'You carry bags': [{ text: 'Carried.' }] })
    const { out, err, code } = await runIn(filesOf(provider), ['run', 'agents', '--agent', 'Porter', 'Go.'])
    expect([err, code]).toEqual([expect.any(String), 0])
    expect(out).toBe('Carried.\n')
    expect(provider.requests.map(turnOf)[0]?.system).toBe('You carry bags.')
  })
})
