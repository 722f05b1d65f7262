import { once } from 'node:events'
import { methods } from '@agentclientprotocol/sdk'
import { describe, expect, it } from 'vitest'
import { saidIn, startEditor, type Updates } from './editor.ts'
import { oneAgent, TIME_TEAM } from './team.ts'

/** Returns the user's text in the updates. */
function askedIn(updates: Updates): readonly string[] {
  return updates.flatMap((update) =>
    update.sessionUpdate === 'user_message_chunk' && update.content.type === 'text'
      ? [update.content.text]
      : [],
  )
}

describe('sessions of troupe acp', () => {
  it('a new process lists, loads and continues the sessions of an earlier one', async () => {
    const first = await startEditor(TIME_TEAM, 'team')
    const { cwd } = first
    const sessionId = await first.open()
    await first.prompt(sessionId, 'What time is it?')
    first.child.stdin?.destroy()
    await once(first.child, 'exit')

    const second = await startEditor(cwd, 'team')
    const { agent } = second.connection
    const { sessions, nextCursor } = await agent.request(methods.agent.session.list, { cwd })
    expect(nextCursor).toBeUndefined()
    expect(sessions).toEqual([
      { sessionId, cwd, title: 'What time is it?', updatedAt: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/u) },
    ])
    const elsewhere = await agent.request(methods.agent.session.list, { cwd: '/elsewhere' })
    expect(elsewhere.sessions).toEqual([])

    const { modes, configOptions } = await second.load(sessionId)
    expect(modes).toBeUndefined()
    expect(configOptions).toMatchObject([{ id: 'model', currentValue: '(card)' }])
    expect(askedIn(second.updates)).toEqual(['What time is it?'])
    expect(saidIn(second.updates)).toBe('It is five in Paris; It is five in Rome')
    const calls = (updates: Updates) =>
      updates.filter(({ sessionUpdate }) => sessionUpdate.startsWith('tool_call'))
    expect(calls(second.updates)).toEqual(calls(first.updates))

    second.updates.length = 0
    expect(await second.prompt(sessionId, 'And now?')).toMatchObject({ stopReason: 'end_turn' })
    const again = await startEditor(cwd, 'team')
    await again.load(sessionId)
    expect(askedIn(again.updates)).toEqual(['What time is it?', 'And now?'])
  })

  it('a deleted session is gone for later processes too, and deleting it twice succeeds', async () => {
    const editor = await startEditor(oneAgent("- say: 'one'"), 'one.md')
    const { agent } = editor.connection
    const sessionId = await editor.open()
    await editor.prompt(sessionId, 'a')
    await agent.request(methods.agent.session.delete, { sessionId })
    await agent.request(methods.agent.session.delete, { sessionId })
    const later = await startEditor(editor.cwd, 'one.md')
    expect(await later.connection.agent.request(methods.agent.session.list, {})).toEqual({ sessions: [] })
    await expect(later.load(sessionId)).rejects.toMatchObject({ data: { sessionId } })
  })

  it('without a store, sessions can be listed and loaded until the program ends', async () => {
    const editor = await startEditor(oneAgent("- say: 'one'"), 'one.md', { args: ['--no-store'] })
    const { agent } = editor.connection
    const sessionId = await editor.open()
    await editor.prompt(sessionId, 'a')
    const { cwd } = editor
    expect((await agent.request(methods.agent.session.list, { cwd })).sessions).toMatchObject([{ sessionId }])
    editor.updates.length = 0
    await editor.load(sessionId)
    expect(askedIn(editor.updates)).toEqual(['a'])
    expect(saidIn(editor.updates)).toBe('one')
  })
})
