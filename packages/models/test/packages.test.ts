import { userMessage } from '@troupe/schema'
import { startFakeAzure, startFakeBedrock, startFakeOpenAI } from '@troupe/testkit'
import { tempProject, type TempProject } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkModel, resolveModel, type ModelContext, type ProviderConfig } from '../src/index.ts'
import { contextOf } from './context.ts'
import { stream } from './drive.ts'
import { AWS } from './fakes.ts'

/** Creates a team folder with packages. Each text is the module of a package. */
async function teamWith(packages: Readonly<Record<string, string>>): Promise<TempProject> {
  const files = Object.entries(packages).flatMap(([name, text]) => [
    [`node_modules/${name}/index.js`, text],
    [
      `node_modules/${name}/package.json`,
      JSON.stringify({ name, type: 'module', exports: { '.': { import: './index.js' } } }),
    ],
  ])
  const project = await tempProject(Object.fromEntries(files))
  onTestFinished(() => project.remove())
  return project
}

function contextIn(team: TempProject, config: ProviderConfig, name = 'nova'): ModelContext {
  return contextOf({}, { folder: '/nowhere', packageFolder: team.path, providers: { [name]: config } })
}

/** A package whose models answer with the options of the factory and their own name. */
const ECHO = `
export const VERSION = '1'
export function createEcho(options) {
  const languageModel = (modelId) => ({
    specificationVersion: 'v4', provider: 'echo', modelId, supportedUrls: {},
    doGenerate: async () => ({
      content: [{ type: 'text', text: JSON.stringify({ ...options, modelId }) }],
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
      warnings: options.warnings ?? [],
    }),
  })
  return { languageModel, chat: (name) => languageModel('chat of ' + name) }
}
export function createOther() { return {} }`

async function answerOf(id: string, context: ModelContext, call = {}): Promise<string> {
  const model = (await resolveModel(id, context)).open({ agent: 'A', runId: 'r' })
  const { content } = await model.doGenerate({ prompt: [userMessage('hello')], ...call })
  const [part] = content
  return part?.type === 'text' ? part.text : ''
}

describe('a provider with a package', () => {
  it('a package is found in the folder of the team and called with what the configuration sets', async () => {
    const team = await teamWith({ 'echo-provider': ECHO })
    const config = {
      package: 'echo-provider',
      apiKey: 'key-of-nova',
      baseURL: 'http://127.0.0.1:9/v1',
      headers: { 'x-team': 'blue' },
      options: { tier: 'fast' },
    }
    expect(JSON.parse(await answerOf('nova/small', contextIn(team, config)))).toEqual({
      name: 'nova',
      apiKey: 'key-of-nova',
      baseURL: 'http://127.0.0.1:9/v1',
      headers: { 'x-team': 'blue' },
      tier: 'fast',
      modelId: 'small',
    })
  })

  it('a package gets an empty key rather than none, so that it does not look for one in the process', async () => {
    const team = await teamWith({ 'echo-provider': ECHO })
    const answer = await answerOf('nova/small', contextIn(team, { package: 'echo-provider' }))
    expect(JSON.parse(answer)).toMatchObject({ apiKey: '' })
  })

  it('`api` chooses the method of the package that creates models', async () => {
    const team = await teamWith({ 'echo-provider': ECHO })
    const chat = contextIn(team, { package: 'echo-provider', api: 'chat' })
    expect(JSON.parse(await answerOf('nova/small', chat))).toMatchObject({ modelId: 'chat of small' })
    const responses = contextIn(team, { package: 'echo-provider', api: 'responses' })
    await expect(answerOf('nova/small', responses)).rejects.toMatchObject({
      code: 'config_invalid',
      message: 'providers.nova: the package echo-provider creates no provider with `responses`.',
    })
  })

  it('a package that is not installed is reported before a run, with the command that installs it', async () => {
    const team = await teamWith({})
    const context = contextIn(team, { package: '@ai-sdk/cohere/sub' })
    const problem = {
      code: 'config_invalid',
      message: 'The provider nova needs the package @ai-sdk/cohere/sub, which is not installed.',
      remediation: `Run \`npm install @ai-sdk/cohere\` in ${team.path}.`,
    }
    expect(checkModel('nova/x', context).problem).toMatchObject(problem)
    await expect(resolveModel('nova/x', context)).rejects.toMatchObject({ failure: problem })
    // a module of Node is no package
    expect(checkModel('nova/x', contextIn(team, { package: 'events' })).problem?.code).toBe('config_invalid')
  })

  it('a package without a factory, or with another name for it, is an error with the names it has', async () => {
    const team = await teamWith({ plain: 'export const x = 1', 'echo-provider': ECHO })
    await expect(resolveModel('nova/x', contextIn(team, { package: 'plain' }))).rejects.toMatchObject({
      code: 'config_invalid',
      message: 'providers.nova: the package plain exports no function named `create…`.',
    })
    const misnamed = contextIn(team, { package: 'echo-provider', factory: 'createEco' })
    await expect(resolveModel('nova/x', misnamed)).rejects.toMatchObject({
      message: 'providers.nova: the package echo-provider exports no function createEco.',
      failure: { remediation: 'Set `factory` to one of createEcho, createOther.' },
    })
    const other = contextIn(team, { package: 'echo-provider', factory: 'createOther' })
    await expect(resolveModel('nova/x', other)).rejects.toMatchObject({ code: 'config_invalid' })
  })

  it('a package that fails to load is an error that says why', async () => {
    const team = await teamWith({ broken: 'throw new Error("no native library")' })
    await expect(resolveModel('nova/x', contextIn(team, { package: 'broken' }))).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('no native library'),
    })
  })

  it('models for AI SDK 6 are converted, and older ones are refused', async () => {
    const version = (name: string): string => ECHO.replace("'v4'", `'${name}'`)
    const team = await teamWith({ v3: version('v3'), v2: version('v2') })
    const model = await resolveModel('nova/x', contextIn(team, { package: 'v3' }))
    expect(model.open({ agent: 'A', runId: 'r' }).specificationVersion).toBe('v4')
    expect(JSON.parse(await answerOf('nova/x', contextIn(team, { package: 'v3' })))).toMatchObject({
      modelId: 'x',
    })
    await expect(resolveModel('nova/x', contextIn(team, { package: 'v2' }))).rejects.toMatchObject({
      code: 'model_unknown',
      message: expect.stringContaining('has version v2'),
    })
  })

  it.each([
    ['tools', { tools: [{ type: 'function', name: 't', inputSchema: { type: 'object' } }] }, 'tools'],
    ['the choice of a tool', { toolChoice: { type: 'required' } }, 'toolChoice'],
    ['the schema of the answer', { responseFormat: { type: 'json', schema: {} } }, 'responseFormat'],
    [
      'files',
      {
        prompt: [
          {
            role: 'user',
            content: [{ type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } }],
          },
        ],
      },
      'user message part type: file',
    ],
  ])('an adapter that leaves out %s and only warns fails the call', async (_, call, feature) => {
    const team = await teamWith({ 'echo-provider': ECHO })
    const warnings = [{ type: 'unsupported', feature, details: 'Not here.' }]
    const config = {
      package: 'echo-provider',
      options: { warnings },
      models: { x: { structured: 'native' } },
    } as const
    const context = contextIn(team, config)
    await expect(answerOf('nova/x', context, call)).rejects.toMatchObject({
      code: 'model_bad_request',
      message: `nova/x does not support ${feature}: Not here.`,
    })
    expect(await answerOf('nova/x', context)).toContain('"modelId":"x"')
  })

  it('a warning about a setting such as topK does not fail the call', async () => {
    const team = await teamWith({ 'echo-provider': ECHO })
    const options = { warnings: [{ type: 'unsupported', feature: 'topK' }] }
    const call = { topK: 3, tools: [{ type: 'function', name: 't', inputSchema: { type: 'object' } }] }
    const answer = await answerOf('nova/x', contextIn(team, { package: 'echo-provider', options }), call)
    expect(answer).toContain('"modelId":"x"')
  })
})

describe('a provider of the clouds', () => {
  it('azure is reached at the address of its resource, in its version 1', async () => {
    const fake = await startFakeAzure({ answers: [{ text: 'hi' }], apiKey: 'key-of-azure' })
    onTestFinished(() => fake.close())
    const urls: string[] = []
    const context = contextOf(
      { AZURE_API_KEY: 'key-of-azure', AZURE_RESOURCE_NAME: 'my-team' },
      {
        fetch: (input, init) => {
          const url = new URL(input instanceof Request ? input.url : input)
          urls.push(url.origin)
          return fetch(new URL(url.pathname + url.search, fake.baseURL), init)
        },
      },
    )
    const model = (await resolveModel('azure/my-gpt', context)).open({ agent: 'A', runId: 'r' })
    expect((await stream(model)).text).toBe('hi')
    expect(urls).toEqual(['https://my-team.openai.azure.com'])
    expect(fake.requests[0]).toMatchObject({
      path: '/openai/v1/responses?api-version=v1',
      body: { model: 'my-gpt', store: false },
    })
  })

  it('azure with default credentials sends the token of Entra ID', async () => {
    const fake = await startFakeAzure({ answers: [{ text: 'hi' }], token: 'token-of-entra' })
    onTestFinished(() => fake.close())
    const team = await teamWith({
      '@azure/identity': `
        export class DefaultAzureCredential { token = 'token-of-entra' }
        export const getBearerTokenProvider = ({ token }, scope) => async () =>
          scope === 'https://cognitiveservices.azure.com/.default' ? token : ''`,
    })
    const config: ProviderConfig = { credentials: 'default', baseURL: `${fake.baseURL}/v1` }
    const model = (await resolveModel('azure/my-gpt', contextIn(team, config, 'azure'))).open({
      agent: 'A',
      runId: 'r',
    })
    expect((await stream(model)).text).toBe('hi')
    expect(fake.requests[0]?.headers).not.toHaveProperty('api-key')
  })

  it('bedrock with default credentials signs with those of the provider chain', async () => {
    const fake = await startFakeBedrock({ answers: [{ text: 'hi' }], credentials: AWS })
    onTestFinished(() => fake.close())
    const team = await teamWith({
      '@aws-sdk/credential-providers': `
        export const fromNodeProviderChain = () => async () => (${JSON.stringify(AWS)})`,
    })
    const config: ProviderConfig = {
      credentials: 'default',
      baseURL: fake.baseURL,
      options: { region: AWS.region },
    }
    const model = (
      await resolveModel('bedrock/amazon.nova-lite-v1:0', contextIn(team, config, 'bedrock'))
    ).open({
      agent: 'A',
      runId: 'r',
    })
    expect((await stream(model)).text).toBe('hi')
  })

  it('default credentials whose package is not installed are an error with the command that installs it', async () => {
    const team = await teamWith({})
    const azure = contextIn(team, { credentials: 'default', options: { resourceName: 'r' } }, 'azure')
    await expect(resolveModel('azure/x', azure)).rejects.toMatchObject({
      message: 'The provider azure needs the package @azure/identity, which is not installed.',
      failure: { remediation: `Run \`npm install @azure/identity\` in ${team.path}.` },
    })
  })

  it('a wrong secret of bedrock is refused and never shown', async () => {
    const fake = await startFakeBedrock({ answers: [{ text: 'hi' }], credentials: AWS })
    onTestFinished(() => fake.close())
    const options = { ...AWS, secretAccessKey: 'another-secret' }
    const config = { baseURL: fake.baseURL, options }
    const handle = await resolveModel('bedrock/x', contextOf({}, { providers: { bedrock: config } }))
    await expect(stream(handle.open({ agent: 'A', runId: 'r' }))).rejects.toThrow(
      'does not match the signature',
    )
    expect(handle.hide?.('another-secret!')).toBe('[redacted:key]!')
    expect(handle.credential).toBe('providers.bedrock.options.accessKeyId from the configuration')
  })

  it('keys in the configuration of bedrock are used without the session token of the shell', () => {
    const config = { options: { region: 'eu-central-1', accessKeyId: 'AKID', secretAccessKey: 'secret' } }
    const { variables, problem } = checkModel(
      'bedrock/x',
      contextOf(
        { AWS_SESSION_TOKEN: 'x', AWS_BEARER_TOKEN_BEDROCK: 'y' },
        { providers: { bedrock: config } },
      ),
    )
    expect(problem).toBeUndefined()
    expect(variables).toEqual([])
  })

  it.each([
    ['azure', {}, ['AZURE_API_KEY', 'AZURE_RESOURCE_NAME']],
    ['bedrock', { AWS_REGION: 'eu-central-1' }, ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']],
    ['vertex', {}, ['GOOGLE_VERTEX_API_KEY', 'GOOGLE_VERTEX_PROJECT', 'GOOGLE_VERTEX_LOCATION']],
  ])(
    '%s without credentials names the variables, and the key for those of the machine',
    (name, given, missing) => {
      const { problem } = checkModel(`${name}/x`, contextOf(given))
      expect(problem?.code).toBe('env_missing')
      expect(problem?.message).toContain(`Missing: ${missing.join(', ')};`)
      expect(problem?.remediation).toContain(`set \`providers.${name}.credentials\` to "default"`)
    },
  )

  it('an option that would change the host of the address is refused', () => {
    const { problem } = checkModel(
      'bedrock/x',
      contextOf({ AWS_BEARER_TOKEN_BEDROCK: 'key', AWS_REGION: 'x.evil.example/#' }),
    )
    expect(problem?.message).toBe('AWS_REGION is not part of a host name: "x.evil.example/#".')
  })
})

describe('a provider without tools', () => {
  it('a call with tools fails at a provider whose API drops them', async () => {
    const fake = await startFakeOpenAI({ answers: [{ text: 'hi' }] })
    onTestFinished(() => fake.close())
    const providers = { perplexity: { apiKey: 'key', baseURL: fake.baseURL } }
    const handle = await resolveModel('perplexity/sonar', contextOf({}, { providers }))
    const model = handle.open({ agent: 'A', runId: 'r' })
    const tools = [{ type: 'function' as const, name: 't', inputSchema: { type: 'object' as const } }]
    expect(handle.maxTools).toBe(0)
    await expect(stream(model, { tools })).rejects.toMatchObject({
      message: 'perplexity/sonar cannot call tools.',
    })
    expect((await stream(model)).text).toBe('hi')
  })

  it('structured output is never a tool call at a provider without tools', async () => {
    const fake = await startFakeOpenAI({ answers: [{ text: '["a"]' }] })
    onTestFinished(() => fake.close())
    const providers = { perplexity: { apiKey: 'key', baseURL: fake.baseURL } }
    const handle = await resolveModel('perplexity/sonar?structured=tool', contextOf({}, { providers }))
    const schema = { type: 'object' as const, properties: {}, additionalProperties: false }
    await stream(handle.open({ agent: 'A', runId: 'r' }), { responseFormat: { type: 'json', schema } })
    expect(fake.requests[0]?.body).toHaveProperty('response_format')
    expect(fake.requests[0]?.body).not.toHaveProperty('tools')
  })
})
