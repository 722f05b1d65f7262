import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { ai, read } from './project.ts'

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

  it('a server of type websocket gets a URL that says so', async () => {
    const { definition, problems } = await read({
      'team/a.ai': ai('tools: [one, two]'),
      '.ai-agent.json': {
        mcpServers: {
          one: { type: 'websocket', url: 'wss://s.example/mcp', headers: { key: '${KEY}' } },
          two: { type: 'websocket', url: 'http://s.example/mcp' },
        },
      },
    })
    expect(problems).toEqual([])
    expect(definition?.mcpServers).toEqual({
      one: { url: 'wss://s.example/mcp', headers: { key: '${KEY}' } },
      two: { url: 'ws://s.example/mcp' },
    })
  })

  it.each([
    ['an empty list allows all tools', { toolsAllowed: [] }, undefined, []],
    ['`*` allows all tools', { toolsAllowed: ['*'], toolsDenied: ['Drop'] }, undefined, ['s__Drop']],
    [
      'a list allows its tools, without upper and lower case',
      { toolsAllowed: ['Find', 'Drop'], toolsDenied: ['drop'] },
      { s: ['(?i)Find'] },
      ['s__drop'],
    ],
  ])('tools of a server are filtered: %s', async (_name, filter, servers, deny) => {
    const { definition } = await read({
      'team/a.ai': ai('tools: s'),
      '.ai-agent.json': { mcpServers: { s: { command: 'x', ...filter } } },
    })
    expect(definition?.tools.servers).toEqual(servers)
    expect(definition?.permissions.deny).toEqual(deny)
  })

  it.each([
    ['FIND', ['find']],
    ['drop', []],
  ])('the agent gets the tools that both the card and `toolsAllowed` list: %s', async (allowed, tools) => {
    const { definition } = await read({
      'team/a.ai': ai('servers: [s]\ntools: {s: [find, open]}'),
      '.ai-agent.json': { mcpServers: { s: { command: 'x', toolsAllowed: [allowed] } } },
    })
    expect(definition?.tools.servers).toEqual({ s: tools })
  })

  it('a REST tool becomes an HTTP tool of the agent, with its variables', async () => {
    const { definition, problems } = await read({
      'team/a.ai': ai('tools: [find, rest__ask]'),
      '.ai-agent.json': {
        restTools: {
          find: {
            description: 'Finds ${NOTHING}.',
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
        description: 'Finds ${NOTHING}.',
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
    [{ mcpServers: { s: { type: 'grpc', url: 'http://x' } } }, 'the transport "grpc"'],
    [{ mcpServers: { s: { command: 'x', requiresApproval: true } } }, 'the unknown key `requiresApproval`'],
    [{ mcpServers: { s: { command: 'x', queue: 'gone' } } }, 'names the queue "gone"'],
    [{ mcpServers: { s: 'x' } }, 'must be a mapping'],
    [{ mcpServers: { s: { command: 'x', toolsAllowed: ['get_*'] } } }, 'allows "get_*"'],
    [{ restTools: { s: { url: 'https://x', queue: 'gone' } } }, 'names the queue "gone"'],
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

  it('settings of the whole configuration that have no effect cause a warning, unless no agent needs them', async () => {
    const { definition, problems } = await read({
      'team/a.ai': ai(''),
      '.ai-agent.json': {
        defaults: { topK: 4, repeatPenalty: null, contextWindowBufferTokens: 8192, stream: true, seed: 1 },
        cache: { backend: 'redis' },
        slack: { enabled: true },
        retries: 3,
      },
      'team/.ai-agent.json': { defaults: { topK: 5 } },
    })
    expect(definition).toBeDefined()
    expect(problems.map(({ message }) => message.replace(/ has no effect.*/u, '')).toSorted()).toEqual([
      '../.ai-agent.json: `defaults.seed`',
      '../.ai-agent.json: `defaults.topK`',
      '../.ai-agent.json: `retries`',
    ])
  })

  it('a prompt without a configuration keeps the defaults of Troupe', async () => {
    const { definition } = await read({ 'team/a.ai': ai('') })
    expect(definition?.ownLimits).toEqual([])
    expect(definition?.settings).toEqual({})
  })
})
