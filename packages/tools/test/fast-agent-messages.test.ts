import type { AssistantMessage, JsonObject, ToolMessage } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { fromCalls, fromDelta, fromResults, toFastAgent } from '../src/fast-agent-messages.ts'

function withCall(toolName: string, input: JsonObject): AssistantMessage {
  return {
    role: 'assistant',
    content: [
      { type: 'text', text: 'Let me see.' },
      { type: 'tool-call', toolCallId: 'one', toolName, input },
    ],
  }
}

/** Returns the message with the call that a hook sees after changes to its name and arguments. */
function change(message: AssistantMessage, name: string | undefined, args: JsonObject): AssistantMessage {
  const seen = toFastAgent(message)
  const call = seen.tool_calls?.['one']
  if (call === undefined) throw new TypeError('no call')
  const params = { name: name ?? call.params.name, arguments: { ...call.params.arguments, ...args } }
  return fromCalls(message, { ...seen, tool_calls: { one: { ...call, params } } })
}

describe('messages for hooks of fast-agent', () => {
  it('a tool call has the name that fast-agent gives the tool, and a command is one text', () => {
    const shell = withCall('shell_execute', { command: 'echo', args: ['a b', "it's", '; rm x'] })
    expect(toFastAgent(shell)).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 'Let me see.' }],
      stop_reason: 'toolUse',
      tool_calls: {
        one: {
          method: 'tools/call',
          params: {
            name: 'execute',
            arguments: {
              command: String.raw`echo 'a b' 'it'\''s' '; rm x'`,
              args: ['a b', "it's", '; rm x'],
            },
          },
        },
      },
    })
  })

  it('a call that a hook does not change stays as it is', () => {
    const shell = withCall('shell_execute', { command: 'echo', args: ['; rm x'] })
    expect(fromCalls(shell, toFastAgent(shell))).toEqual(shell)
    expect(change(shell, undefined, { cwd: 'src' })).toEqual(
      withCall('shell_execute', { command: 'echo', args: ['; rm x'], cwd: 'src' }),
    )
  })

  it('a command that a hook writes replaces the program and its arguments', () => {
    const shell = withCall('shell_execute', { command: 'rm', args: ['-rf', '/'] })
    expect(change(shell, undefined, { command: 'printf Blocked' })).toEqual(
      withCall('shell_execute', { command: 'printf Blocked' }),
    )
  })

  it('a hook may redirect a call to another tool, by the name that fast-agent gives it', () => {
    const own = withCall('execute', { command: 'ls' })
    expect(change(own, undefined, { command: 'pwd' })).toEqual(withCall('execute', { command: 'pwd' }))
    expect(change(own, 'read_text_file', { path: 'a' })).toEqual(
      withCall('filesystem_read', { command: 'ls', path: 'a' }),
    )
  })

  it('added and removed calls are kept apart, so that the loop can refuse them', () => {
    const message = withCall('look', {})
    const seen = toFastAgent(message)
    expect(fromCalls(message, { ...seen, tool_calls: null }).content).toHaveLength(1)
    const two = { method: 'tools/call', params: { name: 'burn', arguments: {} } }
    expect(fromCalls(message, { ...seen, tool_calls: { ...seen.tool_calls, two } }).content.at(-1)).toEqual({
      type: 'tool-call',
      toolCallId: 'two',
      toolName: 'burn',
      input: {},
    })
  })

  it('only the results that a hook changes are replaced', () => {
    const message: ToolMessage = {
      role: 'tool',
      content: ['one', 'two'].map((toolCallId) => ({
        type: 'tool-result',
        toolCallId,
        toolName: 'look',
        output: { type: 'content', value: [{ type: 'text', text: toolCallId }] },
      })),
    }
    const seen = toFastAgent(message)
    expect(fromResults(message, seen)).toEqual(message)
    const two = { content: [{ type: 'text', text: 'no' }], isError: true }
    const changed = fromResults(message, { ...seen, tool_results: { ...seen.tool_results, two } })
    expect(changed.content[0]).toBe(message.content[0])
    expect(changed.content[1]).toMatchObject({
      toolCallId: 'two',
      output: { type: 'error-text', value: 'no' },
    })
  })

  it('messages before a model call are replaced only if a hook changes one', () => {
    const file = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AA==' } } as const
    const sent = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'go' }, file] }]
    const seen = sent.map(toFastAgent)
    expect(fromDelta(sent, seen)).toBeUndefined()
    const more = { role: 'user', content: [{ type: 'text', text: 'more' }] }
    expect(fromDelta(sent, [...seen, more])).toEqual([...sent, more])
  })
})
