import { onTestFinished, expect, it } from 'vitest'
import { createHost, type Host } from '../src/index.ts'

async function hostOf(
  config: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string>> = {},
): Promise<Host> {
  const host = await createHost({ cards: [], config: config as never, cwd: import.meta.dirname, env })
  onTestFinished(() => host.close())
  return host
}

it('a surface gets its part of the configuration with variables replaced', async () => {
  const server = { port: 80, tokens: [{ token: '${TOKEN}' }] }
  const host = await hostOf({ server }, { TOKEN: 'abc' })
  expect(host.settings('server')).toEqual({ port: 80, tokens: [{ token: 'abc' }] })
  expect(host.writtenSettings('server')).toEqual(server)
  expect(host.settings('slack')).toBeUndefined()
})

it('a missing variable in the settings of a surface is reported only when the surface reads them', async () => {
  const host = await hostOf({ server: { tokens: [{ token: '${TOKEN}' }] } })
  expect(() => host.settings('server')).toThrowError(expect.objectContaining({ code: 'env_missing' }))
})

it('a setting that is empty because its variable is empty is reported like one with a missing variable', async () => {
  const slack = { botToken: ['${A_TOKEN}'], apiUrl: 'https://slack.com${FOLDER}', host: '${HOST:-}' }
  const messageWith = async (env: Readonly<Record<string, string>>): Promise<string> => {
    const host = await hostOf({ slack }, { FOLDER: '', ...env })
    try {
      return JSON.stringify(host.settings('slack'))
    } catch (thrown) {
      return String(thrown)
    }
  }
  expect(await messageWith({ A_TOKEN: '' })).toContain('Missing: A_TOKEN; ')
  expect(await messageWith({ A_TOKEN: '' })).toBe(await messageWith({}))
  expect(JSON.parse(await messageWith({ A_TOKEN: 'a' }))).toEqual({
    botToken: ['a'],
    apiUrl: 'https://slack.com',
    host: '',
  })
})
