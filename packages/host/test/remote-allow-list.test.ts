import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JsonObject } from '@troupe/schema'
import { AGENT_KEYS } from '@troupe/schema/agent-keys'
import { scriptedModel } from '@troupe/testkit'
import { tempProject } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHost } from '../src/index.ts'

const CANARY = 'canary-of-a-file'
const SECRET = 'canary-of-a-variable'

/** Every file of the machine that a card could name, in the forms in which a card names files. */
const FILES = {
  'code.mjs': `import { writeFileSync } from 'node:fs'\nwriteFileSync(new URL('ran', import.meta.url), '')\nexport const tool = () => '${CANARY}'\n`,
  'script.yaml': `agents: {x: [{say: ${CANARY}}]}\n${CANARY}: 1\n`,
  'schema.json': `{"type":"object","title":"${CANARY}"}`,
  'server.log': '',
  'skills/s/SKILL.md': `---\nname: ${CANARY}\ndescription: ${CANARY}\n---\n${CANARY}\n`,
  'local.md': `---\nname: local\ndescription: ${CANARY}\nmodel: passthrough\n---\n${CANARY}\n`,
  'troupe.json': JSON.stringify({
    mcpServers: { github: { command: 'node', args: ['code.mjs'], env: { TOKEN: SECRET } } },
  }),
}

const path = fc.constantFrom(
  'code.mjs',
  './script.yaml',
  'schema.json',
  'skills',
  'server.log',
  '/etc/passwd',
)
const text = fc.oneof(
  path,
  path.map((file) => `script/${file}`),
  path.map((file) => `replay:${file}`),
  path.map((file) => `${file}:tool`),
  path.map((file) => `{{file:${file}}}`),
  fc.constantFrom('local', 'github', '*', '${SECRET_TOKEN}', '{{env:SECRET_TOKEN}}', 'SECRET_TOKEN'),
)
const texts = fc.array(text, { minLength: 1, maxLength: 2 })
const hooks = fc.array(
  fc.oneof(
    text,
    fc
      .tuple(fc.constantFrom('troupe:audit', 'troupe:redact'), fc.constantFrom('file', 'path'), path)
      .map(([use, option, value]) => ({ use, [option]: value })),
  ),
  { minLength: 1, maxLength: 2 },
)
const server = fc
  .tuple(
    fc.constantFrom('command', 'url', 'cwd', 'headers', 'env', 'args', 'auth'),
    fc.oneof(
      text,
      texts,
      text.map((value) => ({ scope: value })),
    ),
  )
  .map(([key, value]) => ({ url: 'https://192.0.2.1/mcp', [key]: value }))
const schemaOf = text.map((value) => ({ format: 'json', schema: value }))

/** A value for each key of a card that tries to reach this machine. A new key fails the test until it is listed here. */
const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  $schema: text,
  dialect: fc.constantFrom('troupe', 'fast-agent', 'claude-code', 'opencode', 'goose', 'tsagent', 'ai-agent'),
  name: fc.constantFrom('x', 'local', 'github'),
  description: text,
  usage: text,
  version: text,
  type: fc.constantFrom(
    'agent',
    'chain',
    'parallel',
    'router',
    'orchestrator',
    'evaluator_optimizer',
    'voting',
  ),
  mode: fc.constantFrom('interactive', 'autonomous', 'tools'),
  default: fc.boolean(),
  hidden: fc.boolean(),
  model: fc.oneof(text, texts),
  temperature: fc.constant(0),
  topP: fc.constant(1),
  maxOutputTokens: fc.constant(10),
  reasoning: fc.constant('low'),
  stopSequences: texts,
  toolName: text,
  input: schemaOf,
  output: schemaOf,
  agents: texts,
  agentTools: fc.dictionary(fc.string({ minLength: 1 }), fc.record({ description: fc.string() }), {
    maxKeys: 2,
  }),
  servers: texts,
  mcpServers: fc.dictionary(fc.constantFrom('a', 'github'), server, { minKeys: 1 }),
  tools: fc.oneof(text, texts),
  clientTools: fc.constantFrom('allow', 'deny'),
  providerTools: fc.subarray(['web_search', 'web_fetch', 'code_execution'], { minLength: 1 }),
  functionTools: texts,
  toolHooks: hooks,
  guard: fc.dictionary(fc.constantFrom('input', 'toolResult'), texts, { minKeys: 1 }),
  loopHooks: fc.dictionary(fc.constantFrom('beforeModel', 'onEnd'), text, { minKeys: 1 }),
  exports: text.map((prompt) => ({
    tools: [{ name: 't', description: prompt, prompt, parameters: { type: 'object' } }],
  })),
  skills: texts,
  limits: fc.constant({ maxTurns: 2 }),
  historyMode: fc.constantFrom('scratch', 'fork', 'fork_and_merge'),
  toolPermission: fc.constantFrom('always', 'tool', 'never'),
  requiresApproval: texts,
  permissions: texts.map((deny) => ({ deny })),
  runtimeTools: fc.subarray(
    ['shell', 'filesystem', 'human', 'skills', 'shared', 'fetch', 'search', 'todo', 'memory'],
    { minLength: 1 },
  ),
  memory: path,
  toolPrefix: fc.oneof(fc.boolean(), text),
  instruction: text,
  store: fc.constantFrom('none', 'metadata', 'full'),
  context: fc
    .oneof(
      path.map((file) => `script/${file}`),
      text,
    )
    .map((model) => ({ strategy: 'summarise', model })),
  sequence: texts,
  cumulative: fc.boolean(),
  fanOut: texts,
  fanIn: text,
  handoffs: texts,
  includeRequest: fc.boolean(),
  planIterations: fc.constant(2),
  generator: text,
  evaluator: text,
  minRating: fc.constant('GOOD'),
  maxRefinements: fc.constant(1),
  refinementInstruction: text,
  worker: text,
  minLead: fc.constant(1),
  maxSamples: fc.constant(2),
  matchStrategy: fc.constant('exact'),
  maxSampleLength: fc.constant(10),
  schedule: text.map((input) => ({ cron: '* * * * *', input })),
  acquire: fc.constantFrom('fresh', { pool: 1 }),
  display: fc.constant({ maxInstances: 1 }),
  env: fc.constant(['SECRET_TOKEN']),
}

/** A card with the key, and with some others. */
function cardWith(key: string): fc.Arbitrary<JsonObject> {
  return fc
    .uniqueArray(fc.constantFrom(...Object.keys(VALUES)), { maxLength: 2 })
    .chain((others) =>
      fc.record(Object.fromEntries([...others, key].map((each) => [each, VALUES[each] ?? text]))),
    )
    .map((fields) => fields as JsonObject)
}

/** Calls a tool, so that hooks run. */
const model = scriptedModel(() => ({ calls: [{ tool: 'shared_set', args: { key: 'k', value: 1 } }] }))

/** Loads a card from an address, runs it where it can be run, and returns everything that was reported of it. */
async function load(card: JsonObject, cwd: string): Promise<string> {
  const defaults = { instruction: 'x', model: 'm', runtimeTools: ['shared'], limits: { maxTurns: 2 } }
  const body = Buffer.from(JSON.stringify({ ...defaults, ...card }))
  const safeFetch = async (url: string): Promise<{ url: string; contentType: string; body: Buffer }> => {
    if (url !== 'https://example.com/cards/x.yaml') throw new Error(`not served: ${url}`)
    return { url, contentType: 'application/yaml', body }
  }
  const events: unknown[] = []
  const host = await createHost({
    cards: ['https://example.com/cards/x.yaml'],
    cwd,
    home: cwd,
    env: { SECRET_TOKEN: SECRET },
    models: { m: model },
    remote: { safeFetch },
  })
  try {
    const plan = host.plan()
    const entry = plan.agents.find(({ runnable }) => runnable)
    // a card with a server of its own would reach out for it
    if (entry !== undefined && card['mcpServers'] === undefined)
      events.push(await host.run(entry.name, 'hi', { onEvent: (event) => void events.push(event) }))
    return JSON.stringify([plan, events])
  } finally {
    await host.close()
  }
}

async function snapshot(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true })
  return Promise.all(
    names.map(async (name) => `${name} ${await readFile(join(folder, name), 'utf8').catch(() => 'folder')}`),
  )
}

describe('the allow-list of remote cards', () => {
  it('the tests of the allow-list cover every key of the key table', () => {
    expect(Object.keys(VALUES).toSorted()).toEqual([...AGENT_KEYS].toSorted())
  })

  it.each(AGENT_KEYS)(
    '`%s` of a remote card cannot read, run or write local files or read variables',
    async (key) => {
      const project = await tempProject({ '.git/HEAD': '', ...FILES })
      onTestFinished(() => project.remove())
      const before = await snapshot(project.path)
      await fc.assert(
        fc.asyncProperty(cardWith(key), async (card) => {
          expect(await load(card, project.path)).not.toMatch(/canary-of/u)
          expect(await snapshot(project.path)).toEqual(before)
        }),
        { numRuns: 50 },
      )
    },
  )
})
