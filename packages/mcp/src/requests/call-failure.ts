import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import { errorMessage, failure, TroupeError, type Failure } from '@troupe/schema'
import { loginFailure } from '../auth/login-failure.ts'
import { loginRequiredError } from '../auth/login-session.ts'
import { lossCode } from '../messages/loss-response.ts'

/** Context of a failed request to a server. */
interface FailedCall {
  readonly server: string
  /** Failure that the call was cancelled with; `undefined` if it was not cancelled. */
  readonly stopped: Failure | undefined
  /** Returns how the server ended, for messages; for example `it exited with code 1`. */
  ending(): string | undefined
}

/** Returns the failure of a call. For a cancelled call this is the failure it was cancelled with. */
export function callFailure(thrown: unknown, call: FailedCall): Failure {
  if (call.stopped !== undefined) return call.stopped
  if (TroupeError.isInstance(thrown)) return thrown.failure
  const login = loginFailure(thrown, call.server)
  if (login !== undefined) return login.failure
  if (SdkHttpError.isInstance(thrown) && thrown.status === 401)
    return loginRequiredError(call.server, 'refused').failure
  if (ProtocolError.isInstance(thrown)) return protocolFailure(thrown, call)
  if (isNetworkError(thrown)) return closed(call, causeMessage(thrown))
  if (isClosed(thrown)) return lost(call)
  return failure('mcp_failed', `The MCP server "${call.server}" failed: ${sdkMessage(thrown)}`)
}

function protocolFailure(thrown: ProtocolError, { server }: FailedCall): Failure {
  const loss = lossCode(thrown.data)
  if (loss !== undefined) return failure(loss, `The MCP server "${server}": ${thrown.message}`)
  return failure(
    'mcp_failed',
    `The MCP server "${server}" returned an error: ${thrown.message} (${thrown.code})`,
  )
}

function lost(call: FailedCall): Failure {
  const ending = call.ending()
  if (ending === undefined) return closed(call, undefined)
  return failure('mcp_crashed', `The MCP server "${call.server}" stopped during the call: ${ending}.`)
}

function closed({ server }: FailedCall, why: string | undefined): Failure {
  const reason = why === undefined ? '' : `: ${why}`
  return failure('mcp_closed', `The connection to the MCP server "${server}" ended during the call${reason}.`)
}

function isClosed(thrown: unknown): boolean {
  if (!SdkError.isInstance(thrown)) return false
  const { code } = thrown
  return (
    code === SdkErrorCode.ConnectionClosed ||
    code === SdkErrorCode.NotConnected ||
    code === SdkErrorCode.SendFailed
  )
}

/** Returns true if `fetch` threw because the server is unreachable or closed the connection. */
export function isNetworkError(thrown: unknown): boolean {
  return thrown instanceof TypeError && thrown.cause instanceof Error
}

/** Returns the message of the cause, because `fetch failed` alone says nothing. */
export function causeMessage(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown
  return errorMessage(cause)
}

/** Returns the SDK's message in short form, without the HTML page that some servers respond with. */
export function sdkMessage(thrown: unknown): string {
  if (SdkHttpError.isInstance(thrown)) return `HTTP ${thrown.status}${httpHint(thrown.status)}`
  const [line = ''] = errorMessage(thrown).split('\n')
  return line.length > 500 ? `${line.slice(0, 500)}…` : line
}

function httpHint(status: number): string {
  if (status >= 300 && status < 400) return ' (redirects to another address are not followed)'
  if (status === 401 || status === 403) return ' (it rejected the `headers`)'
  return ''
}
