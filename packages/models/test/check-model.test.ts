import { tempProject, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { checkModel, type ProviderConfig } from '../src/index.ts'
import { contextOf } from './context.ts'

describe('checkModel', () => {
  it('checkModel lists the variables of a provider and finds those of the overlay', () => {
    const context = contextOf({ OPENAI_API_KEY: 'key-1' })

    expect(checkModel('openai/gpt-5', context)).toMatchObject({
      provider: 'openai',
      name: 'gpt-5',
      contextWindow: 272_000,
      variables: [
        { name: 'OPENAI_API_KEY', required: true, found: true },
        { name: 'OPENAI_BASE_URL', required: false, found: false },
      ],
    })
  })

  it(`checkModel names a missing key and every place to define it ${verifies('C44')}`, () => {
    const { problem } = checkModel('openai/gpt-5', contextOf())

    expect(problem?.code).toBe('env_missing')
    for (const part of ['OPENAI_API_KEY', '/team/troupe.env', 'the shell'])
      expect(problem?.message).toContain(part)
    expect(problem?.remediation).toContain('--env OPENAI_API_KEY=')
  })

  it('checkModel treats an empty key as missing', () => {
    expect(checkModel('openai/gpt-5', contextOf({ OPENAI_API_KEY: ' ' })).problem?.code).toBe('env_missing')
  })

  it('checkModel requires nothing that the configuration provides', () => {
    const providers = { anthropic: { apiKey: 'key-1', baseURL: 'http://127.0.0.1:9/v1' } }

    expect(checkModel('claude-sonnet-4-5', contextOf({}, { providers }))).toMatchObject({
      provider: 'anthropic',
      name: 'claude-sonnet-4-5',
      variables: [],
      unpriced: true,
    })
  })

  it('checkModel requires only a base URL for a compatible server', () => {
    const { problem, variables } = checkModel('openai-compatible/x', contextOf())

    expect(problem?.message).toContain('Missing: OPENAI_COMPATIBLE_BASE_URL;')
    expect(variables.filter(({ required }) => required)).toHaveLength(1)
  })

  it('a provider that is not built in needs a base URL in the configuration and nothing else', () => {
    const check = (config: ProviderConfig, name = 'nova'): string | undefined =>
      checkModel(`${name}/x`, contextOf({}, { providers: { [name]: config } })).problem?.message
    expect(check({ baseURL: 'http://127.0.0.1:9/v1' })).toBeUndefined()
    expect(check({ baseURL: 'http://127.0.0.1:9/v1', api: 'anthropic' })).toBeUndefined()
    expect(check({ baseURL: '' })).toBe('providers.nova.baseURL is not an http or https URL: "".')
    expect(check({ apiKey: 'key-1' })).toContain('unknown provider "nova"')
    expect(check({ api: 'anthropic' }, 'ollama')).toBe(
      'providers.ollama.api: ollama does not have the API of anthropic.',
    )
  })

  it.each(['ollama/llama3:8b', 'passthrough'])('checkModel requires nothing for %s', (id) => {
    expect(checkModel(id, contextOf()).problem).toBeUndefined()
  })

  it('checkModel lists the providers and the closest one for an unknown provider', () => {
    const { problem } = checkModel('antropic/claude', contextOf())

    expect(problem?.code).toBe('model_unknown')
    expect(problem?.message).toContain('Did you mean "anthropic"?')
    expect(problem?.message).toContain('openai, anthropic, google, openrouter, ollama, openai-compatible')
  })

  it.each(['llama3:8b', 'openai/', 'openai/?reasoning=low', 'gpt-5?reasoning=huge', '', '__proto__/x'])(
    'checkModel refuses "%s"',
    (id) => {
      const problem = checkModel(id, contextOf({ OPENAI_API_KEY: 'key-1' })).problem
      expect(problem?.code).toBe('model_unknown')
    },
  )

  it('checkModel refuses a recording that does not exist', () => {
    expect(checkModel('replay/tape', contextOf()).problem).toMatchObject({
      code: 'cassette_invalid',
      message: expect.stringContaining('tape cannot be read'),
    })
  })

  it('checkModel refuses a key that a header cannot carry, without showing it', () => {
    const { problem } = checkModel('openai/gpt-5', contextOf({ OPENAI_API_KEY: 'secret\nvalue' }))

    expect(problem).toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('OPENAI_API_KEY'),
    })
    expect(JSON.stringify(problem)).not.toContain('secret')
  })

  it.each(['localhost:8080', 'file:///etc', '/v1'])('checkModel refuses the base URL %s', (base) => {
    const context = contextOf({ OPENAI_API_KEY: 'key-1', OPENAI_BASE_URL: base })

    const { problem } = checkModel('openai/gpt-5', context)

    expect(problem).toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('OPENAI_BASE_URL'),
    })
  })

  it('checkModel reads a script and reports its problems', async () => {
    const project = await tempProject({
      'good.yaml': 'agents: {A: [{say: hi}]}',
      'bad.yaml': 'agents: {A: [{say: hi}, {sya: hi}]}',
    })
    const context = contextOf({}, { folder: project.path })

    expect(checkModel('script/good.yaml', context)).toEqual({
      provider: 'script',
      name: 'good.yaml',
      variables: [],
    })
    expect(checkModel('script/bad.yaml', context).problem).toMatchObject({
      code: 'model_script_invalid',
      message: expect.stringMatching(
        /bad\.yaml: agents\.A, step 2: unknown key "sya"; did you mean "say"\?/u,
      ),
    })
    expect(checkModel('script/none.yaml', context).problem?.code).toBe('model_script_invalid')
    await project.remove()
  })
})
