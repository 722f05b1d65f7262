import { describe, expect, it } from 'vitest'
import { serveTeam } from './support/serve-team.ts'
import { HAS_TCK, runTck, TCK_NOTE } from './tck/run-tck.ts'
import { tckTeam } from './tck/tck-agent.ts'

/**
 * Tests of the kit that this server does not pass: those for answers with files and for messages without a task,
 * which no agent of Troupe gives, for rejected tasks, and for the media type of HTTP+JSON before version 1.0.1.
 */
const EXPECTED = /artifact|message.response|STREAM-002|reject.task|last_modified|test_response_content_type/iu

describe('A2A compatibility kit', () => {
  it.runIf(HAS_TCK)(`no test of the kit fails unexpectedly${TCK_NOTE}`, { timeout: 300_000 }, async () => {
    const { url } = await serveTeam(tckTeam())
    const { passed, failed, text } = await runTck(url)
    expect({ unexpected: failed.filter((name) => !EXPECTED.test(name)), text }).toEqual({
      unexpected: [],
      text,
    })
    expect(passed).toBeGreaterThan(120)
  })

  it.each([
    ['over JSON-RPC', ''],
    ['over HTTP+JSON', '/message:send'],
  ])('the agent for the kit waits for input if the id of a message says so, %s', async (_, path) => {
    const { url } = await serveTeam(tckTeam())
    const send = async (messageId: string, taskId?: string) => {
      const message = { messageId, role: 'ROLE_USER', parts: [{ text: 'Hello' }], taskId }
      const rpc = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }
      const response = await fetch(`${url}/a2a/Fixture${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
        body: JSON.stringify(path === '' ? rpc : { message }),
      })
      const body = (await response.json()) as Readonly<Record<string, unknown>>
      const { task } = (path === '' ? body['result'] : body) as {
        readonly task: { readonly id: string; readonly status: { readonly state: string } }
      }
      return task
    }
    expect(await send('tck-complete-task-1')).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } })
    const { id, status } = await send('tck-input-required-1')
    expect(status.state).toBe('TASK_STATE_INPUT_REQUIRED')
    expect(await send('tck-complete-task-2', id)).toMatchObject({
      id,
      status: { state: 'TASK_STATE_COMPLETED' },
    })
  })
})
