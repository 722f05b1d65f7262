import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventRequirements, neededScopes } from '@troupe/testkit/slack'
import { describe, expect, it } from 'vitest'
import { MANIFEST } from '../src/manifest.ts'

const FOLDER = join(import.meta.dirname, '..')
const CODE = globSync('src/**/*.ts', { cwd: FOLDER })
  .map((file) => readFileSync(join(FOLDER, file), 'utf8'))
  .join('\n')
const { bot, bot_optional: optional } = MANIFEST.oauth_config.scopes
const { bot_events: events } = MANIFEST.settings.event_subscriptions

/** Returns the methods of the Web API that the code calls. */
function calledMethods(): readonly string[] {
  const calls = CODE.matchAll(/client\s*\.((?:chat|files|conversations|assistant\.threads|views)\.\w+)\(/gu)
  const methods = [...calls].map(([, method = '']) => method)
  const uploads = ['files.getUploadURLExternal', 'files.completeUploadExternal']
  return [...new Set(methods.flatMap((method) => (method === 'files.uploadV2' ? uploads : [method])))]
}

/** Returns for each call the scopes of which one is required. Names are only requested for channels. */
function neededByCalls(): readonly (readonly string[])[] {
  return calledMethods().flatMap((method) => {
    const channels = method === 'conversations.info' ? ['C1', 'G1'] : ['C1', 'G1', 'D1']
    return channels.map((channel) => neededScopes(method, { channel })).filter((scopes) => scopes.length > 0)
  })
}

function heardEvents(): ReturnType<typeof eventRequirements>[] {
  const heard = [...CODE.matchAll(/app\.event\('(?<type>\w+)'/gu)].map(([, type = '']) => type)
  return heard.map((type) => eventRequirements({ type, channel_type: 'im' }))
}

describe('the manifest', () => {
  it('the published file is the manifest as JSON', async () => {
    await expect(`${JSON.stringify(MANIFEST, null, 2)}\n`).toMatchFileSnapshot(join(FOLDER, 'manifest.json'))
  })

  it('the manifest subscribes to the events that the code listens to', () => {
    expect(
      heardEvents()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual([...events])
  })

  it('the manifest has exactly the scopes that the code needs', () => {
    expect(calledMethods().length).toBeGreaterThan(10)
    const byEvents = heardEvents().flatMap(({ scope }) => scope ?? [])
    const granted: readonly string[] = [...bot, ...optional]
    const missing = neededByCalls().filter((scopes) => !scopes.some((scope) => granted.includes(scope)))
    expect(missing).toEqual([])
    const used = new Set([...neededByCalls().flat(), ...byEvents, 'commands'])
    expect(granted.filter((scope) => !used.has(scope))).toEqual([])
    expect(byEvents.filter((scope) => !granted.includes(scope))).toEqual([])
  })
})
