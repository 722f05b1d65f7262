import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { CARD_FORMATS } from '../../src/index.ts'
import { ai, read } from './project.ts'

describe('the keys of an ai-agent prompt', () => {
  it('advisors, router and handoff become agents that run before, instead and after', async () => {
    const { definition } = await read({
      'team/a.ai': ai('advisors: x.ai, y.ai\nrouter: {destinations: [z.ai]}\nhandoff: w.ai'),
    })
    expect(definition?.composition).toEqual({ fanOut: ['x.ai', 'y.ai'], fanIn: 'w.ai', handoffs: ['z.ai'] })
  })

  it('`routerDestinations` is the older name of the destinations of a router', async () => {
    const { definition } = await read({ 'team/a.ai': ai('routerDestinations: [y.ai, z.ai]') })
    expect(definition?.composition).toEqual({ handoffs: ['y.ai', 'z.ai'] })
  })

  it('a schema file may be YAML', async () => {
    const { definition, problems } = await read({
      'team/a.ai': ai(
        'output: {format: json, schemaRef: ./out.yaml}\ninput: {format: json, schemaRef: in.yml}',
      ),
      'team/out.yaml': 'type: object\nproperties:\n  found: { type: boolean }\n',
      'team/in.yml': '- no schema',
    })
    expect(definition).toBeUndefined()
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('in.yml does not contain an object'),
    ])
    const good = await read({
      'team/a.ai': ai('output: {format: json, schemaRef: ./out.yaml}'),
      'team/out.yaml': 'type: object\nproperties:\n  found: { type: boolean }\n',
    })
    expect(good.definition?.output.schema).toEqual({
      type: 'object',
      properties: { found: { type: 'boolean' } },
    })
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

  it.each([
    ['topK: 3', 1],
    ['repeatPenalty: 1.1', 1],
    ['topK: unset', 0],
    ['cache: 10m', 1],
    ['cache: off', 0],
    ['contextWindow: 1000', 1],
    ['caching: none', 0],
  ])(
    'a key that changes the answers and has no effect causes a warning, if it is set: %s',
    async (key, count) => {
      const { definition, problems } = await read({ 'team/a.ai': ai(key) })
      expect(definition).toBeDefined()
      expect(problems.map(({ severity, code }) => `${severity} ${code}`)).toEqual(
        Array.from({ length: count }, () => 'warning key_without_effect'),
      )
    },
  )

  it.each([
    ['reasoning: high\nreasoningTokens: 4000', 4000],
    ['reasoningTokens: 4000', 4000],
    ['reasoning: none\nreasoningTokens: 4000', 'none'],
    ['reasoning: high\nreasoningTokens: 0', 'high'],
    ['reasoning: unset', 'none'],
    ['reasoning: inherit', undefined],
  ])('reasoning is limited to `reasoningTokens`: %j', async (keys, reasoning) => {
    expect((await read({ 'team/a.ai': ai(keys) })).definition?.settings.reasoning).toBe(reasoning)
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

/** Every key that the documentation of ai-agent names, by the part of the project that it stands in. */
const DOCUMENTED: Readonly<Record<string, string>> = {
  '': 'description usage toolName input output models tools agents advisors router handoff plugins maxTurns maxToolCallsPerTurn maxRetries llmTimeout toolTimeout cache temperature topP topK maxOutputTokens repeatPenalty toolResponseMaxBytes toolOutput reasoning reasoningTokens caching contextWindow',
  '.ai-agent.json: ': 'telemetry accounting slack api embed',
  '.ai-agent.json: providers.N.':
    'type apiKey baseUrl headers custom mergeStrategy openaiMode contextWindow tokenizer reasoning reasoningValue toolChoice contextWindowBufferTokens toolsAllowed toolsDenied stringSchemaFormatsAllowed stringSchemaFormatsDenied models',
  '.ai-agent.json: providers.N.models.M.': 'contextWindow reasoning interleaved toolChoice overrides',
  '.ai-agent.json: providers.N.models.M.overrides.': 'temperature top_p top_k repeat_penalty',
  '.ai-agent.json: mcpServers.N.':
    'type command args env url headers enabled queue cache toolsCache shared healthProbe requestTimeoutMs toolsAllowed toolsDenied',
  '.ai-agent.json: restTools.N.':
    'description method url headers parametersSchema bodyTemplate queue cache streaming hasComplexQueryParams queryParamNames',
  '.ai-agent.json: openapiSpecs.N.': 'spec baseUrl headers includeMethods tagFilter',
  '.ai-agent.json: queues.N.': 'concurrent',
  '.ai-agent.json: defaults.':
    'temperature topP topK repeatPenalty llmTimeout toolTimeout maxTurns maxToolCallsPerTurn maxRetries maxOutputTokens toolResponseMaxBytes contextWindowBufferTokens mcpInitConcurrency stream',
  '.ai-agent.json: cache.': 'backend maxEntries',
  '.ai-agent.json: toolOutput.': 'enabled maxChunks overlapPercent avgLineBytesThreshold models',
  '.ai-agent.json: pricing.N.M.': 'unit currency prompt completion cacheRead cacheWrite',
}

it(`every documented key of ai-agent has one row that says what happens to it ${verifies('R4')}`, () => {
  const format = CARD_FORMATS.formats.find(({ name }) => name === 'ai-agent')
  const rows = format?.rows.map(({ key }) => key) ?? []
  const documented = Object.entries(DOCUMENTED).flatMap(([part, keys]) =>
    keys.split(' ').map((key) => `${part}${key}`),
  )
  expect(rows).toEqual(expect.arrayContaining(documented))
  expect(new Set(rows).size).toBe(rows.length)
})
