import { once } from 'node:events'
import { methods } from '@agentclientprotocol/sdk'
import { describe, expect, it } from 'vitest'
import { saidIn, startEditor } from './editor.ts'
import { oneAgent, TIME_TEAM } from './team.ts'

const SENDS = oneAgent("- call: [{tool: send, args: {to: Ada}}]\n- say: '{{results.0.text}}'", {
  fields: 'functionTools: [tools.mjs:send]\nrequiresApproval: [send]',
  files: {
    'tools.mjs': "export const send = ({ to }) => { console.log('noise'); return 'sent to ' + to }\n",
  },
})

describe('troupe acp', () => {
  it('troupe acp shows the editor the text and calls of the agent and the calls of its children', async () => {
    const editor = await startEditor(TIME_TEAM, 'team')
    const sessionId = await editor.open()
    expect(await editor.prompt(sessionId, 'Now?')).toMatchObject({ stopReason: 'end_turn' })
    const calls = editor.updates.flatMap((update) =>
      update.sessionUpdate === 'tool_call' ? [update.title] : [],
    )
    expect(calls.toSorted()).toEqual(['City: now', 'City: now', 'agent__City', 'agent__City'])
    const ended = editor.updates.flatMap((update) =>
      update.sessionUpdate === 'tool_call_update' && update.status === 'completed' ? [update.toolCallId] : [],
    )
    expect(new Set(ended).size).toBe(4)
    expect(saidIn(editor.updates)).toBe('It is five in Paris; It is five in Rome')
    expect(
      editor
        .printed()
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('{')),
    ).toEqual([])
  })

  it.each([
    ['once', 'sent to Ada'],
    ['deny', 'Error: send was not approved.'],
  ])('troupe acp asks for approval in the editor before a call: %s', async (optionId, said) => {
    const editor = await startEditor(SENDS, 'one.md', { optionId })
    const sessionId = await editor.open()
    expect(await editor.prompt(sessionId, 'Go')).toMatchObject({ stopReason: 'end_turn' })
    expect(editor.asked).toMatchObject([{ sessionId, toolCall: { title: 'send', rawInput: { to: 'Ada' } } }])
    const call = editor.updates.find((update) => update.sessionUpdate === 'tool_call')
    expect(editor.asked[0]?.toolCall.toolCallId).toBe(call?.toolCallId)
    expect(saidIn(editor.updates)).toBe(said)
  })

  it('troupe acp ends a turn that is cancelled during an approval, and accepts the next turn', async () => {
    const editor = await startEditor(SENDS, 'one.md')
    const sessionId = await editor.open()
    const turn = editor.prompt(sessionId, 'Go')
    await expect.poll(() => editor.asked.length).toBe(1)
    await editor.connection.agent.notify(methods.agent.session.cancel, { sessionId })
    expect(await turn).toMatchObject({ stopReason: 'cancelled' })
    const unknown = editor.prompt('none', 'Go')
    await expect(unknown).rejects.toMatchObject({ code: expect.any(Number) })
  })

  it('troupe acp continues a conversation, even one of an earlier connection', async () => {
    const files = oneAgent("- say: 'one'\n- say: 'two'")
    const editor = await startEditor(files, 'one.md')
    const sessionId = await editor.open()
    await editor.prompt(sessionId, 'a')
    await editor.prompt(sessionId, 'b')
    await editor.connection.agent.request(methods.agent.session.close, { sessionId })
    await expect(editor.prompt(sessionId, 'c')).rejects.toMatchObject({ code: expect.any(Number) })
    const { cwd } = editor
    await editor.connection.agent.request(methods.agent.session.resume, { sessionId, cwd, mcpServers: [] })
    expect(await editor.prompt(sessionId, 'c')).toMatchObject({ stopReason: expect.any(String) })
    await expect(
      editor.connection.agent.request(methods.agent.session.resume, {
        sessionId: 'none',
        cwd,
        mcpServers: [],
      }),
    ).rejects.toMatchObject({ code: expect.any(Number) })
  })

  it('troupe acp exits when the editor disconnects', async () => {
    const { child } = await startEditor(oneAgent("- say: 'Hi'"), 'one.md')
    child.stdin?.destroy()
    expect(await once(child, 'exit')).toEqual([0, null])
  })
})
