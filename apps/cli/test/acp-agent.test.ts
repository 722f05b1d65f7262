import { randomUUID } from 'node:crypto'
import { methods, type ContentBlock } from '@agentclientprotocol/sdk'
import { systemClock } from '@troupe/core'
import { createHost } from '@troupe/host'
import { defineAgent, type AgentDefinition } from '@troupe/schema'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel, startFakeAnthropic } from '@troupe/testkit'
import { settle } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createAcpAgent } from '../src/acp/create-acp-agent.ts'
import { connectEditor, saidIn } from './editor.ts'

const CWD = import.meta.dirname

/** Agents whose models answer with their name and what they received. */
async function editorOf(names: readonly [string, ...string[]]) {
  const define = (name: string): AgentDefinition =>
    defineAgent({ name, description: `Is ${name}.`, instruction: 'Answer.', model: `test/${name}` })
  const speaker = (id: string) =>
    scriptedModel((prompt) => ({ text: `${id}: ${JSON.stringify(prompt.at(-1)?.content)}` }))
  const [first, ...rest] = names
  const agents: readonly [AgentDefinition, ...AgentDefinition[]] = [define(first), ...rest.map(define)]
  const store = createMemoryStore({ clock: systemClock })
  const host = await createHost({
    cards: [...agents],
    entry: first,
    config: false,
    cwd: CWD,
    models: Object.fromEntries(names.map((name) => [`test/${name}`, speaker(name)])),
    store,
  })
  onTestFinished(() => host.close())
  const app = createAcpAgent({ agents, host, store, newSessionId: () => `session_${randomUUID()}` })
  return { ...(await connectEditor(app, { cwd: CWD })), host, store }
}

describe('createAcpAgent', () => {
  it('an editor can choose the agent of a session until its first prompt', async () => {
    const { connection, newSession, prompt, load, updates } = await editorOf(['Planner', 'Clerk'])
    const { sessionId, modes } = await newSession()
    expect(modes).toEqual({
      currentModeId: 'Planner',
      availableModes: [
        { id: 'Planner', name: 'Planner', description: 'Is Planner.' },
        { id: 'Clerk', name: 'Clerk', description: 'Is Clerk.' },
      ],
    })
    const setMode = (modeId: string) =>
      connection.agent.request(methods.agent.session.setMode, { sessionId, modeId })
    await expect(setMode('Nobody')).rejects.toThrow('there is no such mode')
    await setMode('Clerk')
    await prompt(sessionId, 'Hi')
    expect(saidIn(updates)).toContain('Clerk:')
    await expect(setMode('Planner')).rejects.toThrow('The session belongs to Clerk.')
    expect((await load(sessionId)).modes).toBeUndefined()
    await setMode('Clerk')
  })

  it('an editor can choose another model for a session, which a reopened session keeps', async () => {
    const { connection, newSession, prompt, updates } = await editorOf(['Planner', 'Clerk'])
    const { sessionId, configOptions } = await newSession()
    expect(configOptions).toMatchObject([
      {
        id: 'model',
        currentValue: '(card)',
        options: [{ value: '(card)' }, { value: 'test/Planner' }, { value: 'test/Clerk' }],
      },
    ])
    const setModel = (value: string, configId = 'model') =>
      connection.agent.request(methods.agent.session.setConfigOption, { sessionId, configId, value })
    await expect(setModel('test/Other')).rejects.toThrow('there is no such model')
    await expect(setModel('test/Clerk', 'speed')).rejects.toThrow('there is no such option')
    expect(await setModel('test/Clerk')).toMatchObject({ configOptions: [{ currentValue: 'test/Clerk' }] })
    await prompt(sessionId, 'Hi')
    expect(saidIn(updates)).toContain('Clerk:')
    const resume = (): Promise<unknown> =>
      connection.agent.request(methods.agent.session.resume, { sessionId, cwd: CWD, mcpServers: [] })
    expect(await resume()).toMatchObject({ configOptions: [{ currentValue: 'test/Clerk' }] })
    await setModel('(card)')
    updates.length = 0
    await prompt(sessionId, 'Hi')
    expect(saidIn(updates)).toContain('Planner:')
  })

  it('the list of sessions has pages, and leaves out conversations that no editor started', async () => {
    const { connection, open, prompt, host } = await editorOf(['Planner'])
    await host.run('Planner', 'By hand')
    const opened: string[] = []
    for (let count = 0; count < 51; count += 1) {
      const sessionId = await open()
      await prompt(sessionId, `Message ${count}`)
      opened.push(sessionId)
    }
    const list = (cursor?: string) =>
      connection.agent.request(methods.agent.session.list, cursor === undefined ? {} : { cursor })
    const first = await list()
    const second = await list(first.nextCursor ?? '')
    expect([first.sessions.length, second.sessions.length]).toEqual([50, 1])
    expect(second.nextCursor).toBeUndefined()
    const listed = [...first.sessions, ...second.sessions].map(({ sessionId }) => sessionId)
    expect(listed.toSorted()).toEqual(opened.toSorted())
    await expect(list('nonsense')).rejects.toThrow('cursor')
  })

  it('a session needs an absolute folder', async () => {
    const { newSession } = await editorOf(['Planner'])
    await expect(newSession({ cwd: 'here' })).rejects.toThrow('cwd: it must be an absolute path.')
    const more = newSession({ additionalDirectories: ['/tmp'] })
    await expect(more).rejects.toThrow('additionalDirectories: they are not supported.')
  })

  it('images, audio and embedded files reach the model, and mislabelled content is refused', async () => {
    const { connection, open, load, updates } = await editorOf(['Planner'])
    const sessionId = await open()
    const send = (prompt: ContentBlock[]) =>
      connection.agent.request(methods.agent.session.prompt, { sessionId, prompt })
    const data = Buffer.from('bytes').toString('base64')
    await send([
      { type: 'text', text: 'Look' },
      { type: 'image', mimeType: 'image/png', data },
      { type: 'audio', mimeType: 'audio/wav', data },
      { type: 'resource', resource: { uri: 'file:///a.txt', text: 'the text' } },
      { type: 'resource', resource: { uri: 'file:///b.pdf', mimeType: 'application/pdf', blob: data } },
      { type: 'resource_link', name: 'c', uri: 'file:///c' },
    ])
    await settle()
    const said = saidIn(updates)
    for (const part of ['Look', 'image/png', 'audio/wav', 'the text', 'application/pdf', 'file:///c'])
      expect(said).toContain(part)
    await expect(send([{ type: 'image', mimeType: 'text/html', data }])).rejects.toThrow(
      'must start with image/',
    )
    await expect(send([{ type: 'audio', mimeType: 'audio/wav', data: '<>' }])).rejects.toThrow('not base64')
    await expect(send([])).rejects.toThrow('prompt: it is empty.')
    updates.length = 0
    await load(sessionId)
    const shown = updates.flatMap((update) =>
      update.sessionUpdate === 'user_message_chunk' ? [update.content.type] : [],
    )
    expect(shown).toEqual(['text', 'image', 'audio', 'text'])
  })

  it('a turn with a file that the model does not accept fails with an error, and sends nothing', async () => {
    const fake = await startFakeAnthropic({ answers: () => ({ text: 'Heard.' }) })
    onTestFinished(() => fake.close())
    const agent = defineAgent({
      name: 'Listener',
      instruction: 'Listen.',
      model: 'anthropic/some-model',
    })
    const store = createMemoryStore({ clock: systemClock })
    const env = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: fake.baseURL }
    const host = await createHost({ cards: [agent], config: false, cwd: CWD, store, env })
    onTestFinished(() => host.close())
    const app = createAcpAgent({ agents: [agent], host, store, newSessionId: () => 'session_1' })
    const { connection, open } = await connectEditor(app, { cwd: CWD })
    const sessionId = await open()
    const audio = connection.agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: 'audio', mimeType: 'audio/wav', data: 'AAAA' }],
    })
    await expect(audio).rejects.toThrow('audio/wav')
    expect(fake.requests).toEqual([])
  })
})
