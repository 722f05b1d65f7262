import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { localFiles, readCard, type ParsedCard } from '@troupe/cards'
import { tempProject, verifies } from '@troupe/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CARD_FORMATS } from '../src/index.ts'
import { convertCard, errorsOf, parseCard } from './cards.ts'

/** Reads `team/a.ai` of a project whose folders are the workspace, `team` and `home`. */
async function read(
  files: Readonly<Record<string, unknown>>,
): Promise<ParsedCard & { readonly folder: string }> {
  const texts = Object.entries(files).map(([path, content]) => [
    path,
    typeof content === 'string' ? content : JSON.stringify(content),
  ])
  const project = await tempProject(Object.fromEntries(texts) as Record<string, string>)
  onTestFinished(() => project.remove())
  const card = readCard(join(project.path, 'team/a.ai'), {
    formats: CARD_FORMATS,
    workspace: project.path,
    home: join(project.path, 'home'),
  })
  return { ...card, folder: project.path }
}

const ai = (keys: string, body = 'Help.'): string => `---\ndescription: d\n${keys}\n---\n${body}\n`

describe('the configuration of ai-agent', () => {
  it(`each server comes from the first layer that defines it, if the card names it ${verifies('R4')}`, async () => {
    const { definition, problems } = await read({
      'team/a.ai': ai('tools: [one, two, three]'),
      '.ai-agent.json': { mcpServers: { one: { command: 'first' }, unused: { type: 'websocket' } } },
      'team/.ai-agent.json': {
        mcpServers: { one: { command: 'second' }, two: { url: 'https://t.example/mcp' } },
      },
      'home/.ai-agent/ai-agent.json': { mcpServers: { two: { command: 'x' }, three: { command: 'third' } } },
    })
    expect(problems).toEqual([])
    expect(definition?.mcpServers).toEqual({
      one: { command: 'first', cwd: '..' },
      two: { url: 'https://t.example/mcp' },
      three: { command: 'third', cwd: '..' },
    })
    expect(definition?.servers).toEqual([])
  })

  it('the keys of a server are translated, with its queue as its concurrent calls', async () => {
    const { definition, problems } = await read({
      'team/a.ai': ai('tools: files'),
      '.ai-agent.json': {
        mcpServers: {
          files: {
            type: 'stdio',
            command: ['node', 'server.js'],
            args: ['${MCP_ROOT}'],
            env: { PORT: 1, KEY: '${KEY}' },
            enabled: false,
            shared: false,
            queue: 'slow',
            cache: '1h',
            requestTimeoutMs: 1500,
          },
        },
        queues: { slow: { concurrent: 2 } },
      },
    })
    expect(problems).toEqual([])
    expect(definition?.mcpServers).toEqual({
      files: {
        command: 'node',
        args: ['server.js', '${MCP_ROOT:-.}'],
        env: { PORT: '1', KEY: '${KEY}' },
        cwd: '..',
        shared: false,
        disabled: true,
        toolTimeout: 1500,
        maxParallel: 2,
      },
    })
  })

  it.each([
    ['an empty list allows all tools', { toolsAllowed: [] }, undefined, []],
    ['`*` allows all tools', { toolsAllowed: ['*'], toolsDenied: ['Drop'] }, undefined, ['s__Drop']],
    [
      'a list allows its tools',
      { toolsAllowed: ['find'], toolsDenied: ['find'] },
      { s: ['find'] },
      ['s__find'],
    ],
  ])('tools of a server are filtered: %s', async (_name, filter, servers, deny) => {
    const { definition } = await read({
      'team/a.ai': ai('tools: s'),
      '.ai-agent.json': { mcpServers: { s: { command: 'x', ...filter } } },
    })
    expect(definition?.tools.servers).toEqual(servers)
    expect(definition?.permissions.deny).toEqual(deny)
  })

  it('a REST tool becomes an HTTP tool of the agent, with its variables', async () => {
    const { definition, problems } = await read({
      'team/a.ai': ai('tools: [find, rest__ask]'),
      '.ai-agent.json': {
        restTools: {
          find: {
            description: 'Finds.',
            method: 'post',
            url: 'https://api.example/${TEAM}/find',
            headers: { authorization: 'Bearer ${KEY}' },
            parametersSchema: { type: 'object', properties: { text: { type: 'string' } } },
            bodyTemplate: { query: '${parameters.text}' },
            cache: '1h',
          },
          ask: {
            description: 'Asks.',
            url: 'https://api.example/ask',
            streaming: {
              mode: 'json-stream',
              linePrefix: 'data:',
              discriminatorField: 'type',
              doneValue: 'done',
              answerField: 'answer',
              tokenValue: 'token',
              tokenField: 'content',
            },
          },
        },
      },
    })
    expect(problems).toEqual([])
    expect(definition?.env).toEqual(['TEAM', 'KEY'])
    expect(definition?.functionTools).toEqual([
      {
        use: 'troupe:http',
        name: 'rest__find',
        description: 'Finds.',
        method: 'POST',
        url: 'https://api.example/${TEAM}/find',
        headers: { authorization: 'Bearer ${KEY}' },
        parameters: { type: 'object', properties: { text: { type: 'string' } } },
        body: { query: '${parameters.text}' },
      },
      {
        use: 'troupe:http',
        name: 'rest__ask',
        description: 'Asks.',
        method: 'GET',
        url: 'https://api.example/ask',
        lines: {
          kind: 'type',
          prefix: 'data:',
          part: { kind: 'token', key: 'content' },
          end: { kind: 'done', key: 'answer' },
        },
      },
    ])
  })

  it('a filter that cannot be combined with the list of tools in the card is an error', async () => {
    const { definition, problems } = await read({
      'team/a.ai': ai('servers: [s]\ntoolsAllowed: [s__find]'),
      '.ai-agent.json': { mcpServers: { s: { command: 'x', toolsAllowed: ['drop'] } } },
    })
    expect(definition).toBeUndefined()
    expect(problems).toMatchObject([{ code: 'card_unsupported', severity: 'error' }])
  })

  it.each([
    [{ mcpServers: { s: { type: 'websocket', url: 'ws://x' } } }, 'the transport "websocket"'],
    [{ mcpServers: { s: { command: 'x', requiresApproval: true } } }, 'the unknown key `requiresApproval`'],
    [{ mcpServers: { s: { command: 'x', queue: 'gone' } } }, 'names the queue "gone"'],
    [{ mcpServers: { s: 'x' } }, 'must be a mapping'],
    [{ restTools: { s: { url: 'https://x', hasComplexQueryParams: true } } }, 'nested query parameters'],
    [{ restTools: { s: { url: 'https://x', streaming: { mode: 'sse' } } } }, 'the stream mode "sse"'],
    [{ restTools: { s: { url: 'https://x', retries: 1 } } }, 'the unknown key `retries`'],
    [{ permissions: { deny: ['s__x'] } }, '`permissions` is a key of troupe.json'],
    [{ defaults: { model: 'openai/x' } }, '`defaults.model` is a key of troupe.json'],
  ])('a configuration that Troupe cannot honour is an error with its place: %j', async (config, message) => {
    const { definition, problems } = await read({ 'team/a.ai': ai('tools: [s]'), '.ai-agent.json': config })
    expect(definition).toBeUndefined()
    expect(problems.map((problem) => problem.message).join()).toContain(message)
  })

  it('a broken configuration is an error of each card that it applies to', async () => {
    const { definition, problems } = await read({ 'team/a.ai': ai(''), '.ai-agent.json': '{' })
    expect(definition).toBeUndefined()
    expect(problems[0]?.file).toMatch(/\.ai-agent\.json$/u)
  })

  it('defaults apply field by field, below the card and above those of ai-agent', async () => {
    const { definition } = await read({
      'team/a.ai': ai('maxTurns: 3\ntopP: unset'),
      '.ai-agent.json': { defaults: { temperature: 0.4, maxTurns: 7 } },
      'team/.ai-agent.json': { defaults: { temperature: 1, maxRetries: 1, topP: 0.5 } },
    })
    expect(definition?.settings).toEqual({ temperature: 0.4, maxOutputTokens: 4096 })
    expect(definition?.limits).toMatchObject({
      maxTurns: 3,
      maxRetries: 1,
      maxToolCallsPerTurn: 10,
      maxToolResultBytes: 12_288,
      toolTimeout: 300_000,
    })
  })

  it('a prompt without a configuration keeps the defaults of Troupe', async () => {
    const { definition } = await read({ 'team/a.ai': ai('') })
    expect(definition?.ownLimits).toEqual([])
    expect(definition?.settings).toEqual({})
  })
})

describe('the providers of ai-agent', () => {
  const models = 'models: [house/big, anthropic/claude-x]\ntemperature: 0.5\ntopP: 1'

  it('a provider is defined for the models of the card, with the size and reasoning of its models', async () => {
    const { providers, problems } = await read({
      'team/a.ai': ai(models),
      '.ai-agent.json': {
        providers: {
          house: {
            type: 'openai-compatible',
            baseUrl: 'http://localhost:9/v1',
            apiKey: '${HOUSE_KEY}',
            headers: { 'x-team': 'a' },
            contextWindow: 1000,
            models: { big: { reasoning: null } },
          },
          anthropic: { type: 'anthropic', apiKey: '${KEY}', custom: {} },
          unused: { type: 'unheard-of' },
        },
      },
    })
    expect(problems).toEqual([])
    expect(providers).toEqual({
      house: {
        apiKey: '${HOUSE_KEY}',
        baseURL: 'http://localhost:9/v1',
        headers: { 'x-team': 'a' },
        api: 'chat',
        models: { big: { contextWindow: 1000, reasoning: 'none' }, '*': { contextWindow: 1000 } },
      },
      anthropic: { apiKey: '${KEY}' },
    })
  })

  it('prices of models are those of `pricing`, per million tokens', async () => {
    const { providers } = await read({
      'team/a.ai': ai(models),
      '.ai-agent.json': {
        providers: { anthropic: {} },
        pricing: {
          anthropic: {
            'claude-x': {
              unit: 'per_1k',
              currency: 'USD',
              prompt: 0.003,
              completion: 0.015,
              cacheRead: 0.001,
            },
            'claude-y': { currency: 'EUR', prompt: 1, completion: 2 },
          },
        },
      },
    })
    expect(providers?.['anthropic']).toEqual({
      prices: { 'claude-x': { input: 3, output: 15, cacheRead: 1 } },
    })
  })

  it.each([
    ['responses', {}],
    ['chat', { openaiMode: 'chat' }],
  ])('the API of a provider of type openai is that of openaiMode: %s', async (api, mode) => {
    const { providers } = await read({
      'team/a.ai': ai(models),
      '.ai-agent.json': { providers: { house: { type: 'openai', ...mode } } },
    })
    expect(providers?.['house']).toEqual({ baseURL: 'https://api.openai.com/v1', api })
  })

  it('an override of a model applies to the settings of the card', async () => {
    const { definition } = await read({
      'team/a.ai': ai(models),
      '.ai-agent.json': {
        providers: {
          anthropic: { models: { 'claude-x': { overrides: { top_p: null, temperature: 0.1 } } } },
        },
      },
    })
    expect(definition?.settings).toEqual({ temperature: 0.1, maxOutputTokens: 4096 })
  })

  it.each([
    [{ type: 'test-llm' }, 'the type "test-llm"'],
    [{ type: 'openai', toolsAllowed: ['read'] }, 'limits the tools of its models'],
    [{ type: 'openai', apikey: 'x' }, 'the unknown key `apikey`'],
  ])('a provider that Troupe cannot honour is an error: %j', async (house, message) => {
    const { definition, problems } = await read({
      'team/a.ai': ai(models),
      '.ai-agent.json': { providers: { house } },
    })
    expect(definition).toBeUndefined()
    expect(problems[0]?.message).toContain(message)
  })

  it('settings that are not sent to the provider cause a warning', async () => {
    const { problems } = await read({
      'team/a.ai': ai('models: openrouter/x'),
      '.ai-agent.json': { providers: { openrouter: { custom: { provider: { data_collection: 'deny' } } } } },
    })
    expect(problems).toMatchObject([{ severity: 'warning', code: 'key_without_effect' }])
  })
})

describe('the template of a prompt', () => {
  it(`a prompt includes files relative to the file that names them ${verifies('R4')}`, async () => {
    const { definition, problems } = await read({
      'team/a.ai': ai(
        '',
        'A {% render \'parts/b.md\' %} {%- include "../shared/c.md" -%} {% if true %}D{% endif %}',
      ),
      'team/parts/b.md': 'B({% render "deep.md" %})',
      'team/parts/deep.md': 'deep',
      'shared/c.md': 'C',
      '.ai-agent.json': {},
    })
    expect(problems).toEqual([])
    expect(definition?.instruction).toBe('A B(deep)CD')
  })

  it('a prompt includes files of its own folder only, unless the workspace is its project', async () => {
    const card = await read({ 'team/a.ai': ai('', '{% render "../shared/c.md" %}'), 'shared/c.md': 'C' })
    expect(errorsOf(card)[0]).toContain('outside the folder of the project')
  })

  it.each([
    ['a missing file', '{% render "gone.md" %}', 'the file does not exist'],
    ['a variable', 'Hello {{ name }}', 'undefined variable: name'],
    ['a path that is computed', '{% render name %}', 'needs a path in quotes'],
    ['an absolute path', '{% render "/etc/hostname" %}', 'outside the folder'],
    ['a file with secrets', '{% render ".env" %}', 'files with variables'],
    ['a file with secrets', '{% render ".ai-agent.env" %}', 'files with variables'],
    ['a file that includes itself', '{% render "self.md" %}', 'more than 8 files'],
    ['a huge range', '{% for i in (1..1000000000) %}x{% endfor %}', 'memory alloc limit'],
    ['a template of another kind', '{% layout "self.md" %}', 'Failed to lookup'],
    ['an unknown tag', '{% exec "ls" %}', 'tag "exec" not found'],
  ])('a prompt that cannot be rendered is an error: %s', async (_name, body, message) => {
    const card = await read({
      'team/a.ai': ai('', body),
      'team/self.md': '{% render "self.md" %}',
      'team/.env': 'KEY=secret',
      'team/.ai-agent.env': 'KEY=secret',
    })
    expect(card.definition).toBeUndefined()
    expect(card.problems).toMatchObject([{ code: 'card_include', severity: 'error' }])
    expect(card.problems[0]?.message).toContain(message)
  })

  it('a link does not lead a prompt out of its folder', async () => {
    const project = await tempProject({
      'team/a.ai': ai('', '{% render "link.md" %}'),
      'secret.md': 'secret',
    })
    onTestFinished(() => project.remove())
    symlinkSync(join(project.path, 'secret.md'), join(project.path, 'team/link.md'))
    const card = readCard(join(project.path, 'team/a.ai'), { formats: CARD_FORMATS })
    expect(card.problems[0]?.message).toContain('it is outside of')
  })

  it('the variables of ai-agent are filled in, and markers get a block at the end', async () => {
    const { definition } = await read({
      'team/a.ai': ai(
        'maxTurns: 4\noutput: {format: json}',
        '${FORMAT} ${DATETIME} ${DAY} ${MAX_TURNS} ${OTHER} XML-NEXT.FORMAT',
      ),
    })
    const [first, ...rest] = definition?.instruction.split('\n') ?? []
    expect(first).toMatch(/^JSON \d{4}-\d\d-\d\d \w+day 4 \$\{OTHER\} XML-NEXT\.FORMAT$/u)
    expect(rest.join('\n')).toContain('Format of the answer: JSON')
  })
})

describe('the keys of an ai-agent prompt', () => {
  it('advisors, router and handoff become agents that run before, instead and after', async () => {
    const { definition } = await read({
      'team/a.ai': ai('advisors: x.ai, y.ai\nrouter: {destinations: [z.ai]}\nhandoff: w.ai'),
    })
    expect(definition?.composition).toEqual({ fanOut: ['x.ai', 'y.ai'], fanIn: 'w.ai', handoffs: ['z.ai'] })
  })

  it.each([
    ['router: {}', '`router` needs `destinations`'],
    ['handoff: [a.ai, b.ai]', '`handoff` needs the path of one agent'],
    ['plugins: [./p.js]', 'plugins of ai-agent cannot be run'],
    ['unheardOf: 1', 'Unknown key `unheardOf`'],
    ['maxTurn: 1', 'did you mean `limits.maxTurns`?'],
  ])('a key that Troupe cannot honour is an error: %s', async (key, message) => {
    const { definition, problems } = await read({ 'team/a.ai': ai(key) })
    expect(definition).toBeUndefined()
    expect(problems[0]?.message).toContain(message)
  })

  it('the tool of an agent is named after its file or its toolName', async () => {
    expect((await read({ 'team/a.ai': ai('toolName: look') })).definition?.toolName).toBe('agent__look')
    expect((await read({ 'team/a.ai': ai('') })).definition?.toolName).toBeUndefined()
  })

  it('tools that ai-agent itself offers are not needed', async () => {
    const { definition, problems } = await read({ 'team/a.ai': ai('tools: [batch, search]') })
    expect(problems).toEqual([])
    expect(definition?.servers).toEqual(['search'])
  })
})

it(`a converted prompt is complete without its project and holds no value of the env file ${verifies('R4')}`, async () => {
  const files = {
    'team/a.ai': ai('tools: s', '{% render "b.md" %}'),
    'team/b.md': 'B',
    'team/.ai-agent.json': { mcpServers: { s: { command: 'x', env: { KEY: '${KEY}' } } } },
    'team/.ai-agent.env': 'KEY=very-secret',
  }
  const { definition, folder } = await read(files)
  const path = join(folder, 'team/a.ai')
  const format = CARD_FORMATS.formats.find(({ name }) => name === 'ai-agent')
  expect(format?.envFiles?.(path, { workspace: folder })).toEqual([
    '/etc/ai-agent/ai-agent.env',
    join(folder, 'team/.ai-agent.env'),
    join(folder, '.ai-agent.env'),
  ])
  const { cards } = convertCard(files['team/a.ai'], { path, ...localFiles(path), workspace: folder })
  const text = cards[0]?.text ?? ''
  expect(text).not.toContain('very-secret')
  expect(parseCard(text, { path: join(folder, 'team/b.md') }).definition?.digest).toBe(definition?.digest)
})
