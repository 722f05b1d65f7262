import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'

const run = promisify(execFile)
const ADAPTER =
  /@ai-sdk\/(?:openai|anthropic|google|openai-compatible|provider-utils)\/|ai-sdk-provider|ollama-ai/u

/** Runs a program and returns the addresses of the modules it has loaded. */
async function loadedBy(
  program: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly adapters: readonly string[]; readonly said: string }> {
  const source = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
    const { checkModel, resolveModel } = await import('./src/index.ts')
    const context = { env: () => 'value-1', searched: [], folder: '.' }
    const said = await (async () => { ${program} })()
    console.log(JSON.stringify({ loaded, said }))`
  const { stdout } = await run(
    process.execPath,
    ['--conditions=@troupe/source', '--input-type=module', '--eval', source],
    { cwd: fileURLToPath(new URL('..', import.meta.url)), env: { PATH: process.env['PATH'], ...env } },
  )
  const { loaded, said } = JSON.parse(stdout) as {
    readonly loaded: readonly string[]
    readonly said?: string
  }
  return { adapters: loaded.filter((url) => ADAPTER.test(url)), said: said ?? '' }
}

describe('provider adapters', () => {
  it(`provider adapters are not loaded by the package or by a check ${verifies('C34')}`, async () => {
    const { adapters } = await loadedBy(
      `checkModel('ollama/llama3', context); await resolveModel('passthrough', context)`,
    )

    expect(adapters).toEqual([])
  })

  it('provider adapters are loaded one by one when they are first used', async () => {
    const { adapters } = await loadedBy(`await resolveModel('ollama/llama3', { ...context, env: () => '' })`)

    expect(adapters.some((url) => url.includes('ollama-ai-provider'))).toBe(true)
    expect(adapters.some((url) => /@ai-sdk\/(?:openai|anthropic|google)\//u.test(url))).toBe(false)
  })

  it('a provider adapter that cannot be loaded because of an empty variable of the shell reports that', async () => {
    const { said } = await loadedBy(
      `return resolveModel('openai/x', { ...context, env: (name) => name.endsWith('KEY') ? 'key-1' : '' })
        .then(() => 'resolved', (error) => error.code + ': ' + error.failure.remediation)`,
      { OPENAI_BASE_URL: '' },
    )

    expect(said).toBe('config_invalid: If OPENAI_BASE_URL is set to an empty value in the shell, unset it.')
  })
})
