import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import { errorMessage, failure, TroupeError, type Failure } from '@troupe/schema'
import { loginFailure } from '../auth/login-failure.ts'
import { needsLogin } from '../auth/needs-login.ts'
import { lossCode } from '../stdio/lost-answer.ts'
import { isFailure } from '../connection/until-aborted.ts'

/** What is known of a request to a server that failed. */
export interface FailedCall {
  readonly server: string
  /** Why it was stopped; none: it was not. */
  readonly stopped: Failure | undefined
  /** How the server ended, such as `it exited with code 1`; for messages. */
  ending(): string | undefined
}

/** Why it failed. Who stopped it has said why: the failure then says the same. */
export function callFailure(thrown: unknown, call: FailedCall): Failure {
  if (call.stopped !== undefined) return call.stopped
  if (TroupeError.isInstance(thrown)) return thrown.failure
  const login = loginFailure(thrown, call.server)
  if (login !== undefined) return login.failure
  if (SdkHttpError.isInstance(thrown) && thrown.status === 401)
    return needsLogin(call.server, 'refused').failure
  if (ProtocolError.isInstance(thrown)) return protocolFailure(thrown, call)
  if (isNetworkError(thrown)) return closed(call, causeMessage(thrown))
  if (isClosed(thrown)) return lost(call)
  return failure('mcp_failed', `The MCP server "${call.server}" failed: ${sdkMessage(thrown)}`)
}

function protocolFailure(thrown: ProtocolError, { server }: FailedCall): Failure {
  const loss = lossCode(thrown.data)
  if (loss !== undefined) return failure(loss, `The MCP server "${server}": ${thrown.message}`)
  return failure('mcp_failed', `The MCP server "${server}" answered: ${thrown.message} (${thrown.code})`)
}

/** Core stops a call with a failure as reason; the result then says the same. */
export function stopFailure(reason: unknown): Failure {
  if (TroupeError.isInstance(reason)) return reason.failure
  if (isFailure(reason)) return reason
  return failure('run_cancelled', 'The call was stopped.')
}

function lost(call: FailedCall): Failure {
  const ending = call.ending()
  if (ending === undefined) return closed(call, undefined)
  return failure('mcp_crashed', `The MCP server "${call.server}" went away during the call: ${ending}.`)
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

/** True for what fetch throws when a server cannot be reached or breaks the connection. */
export function isNetworkError(thrown: unknown): boolean {
  return thrown instanceof TypeError && thrown.cause instanceof Error
}

/** What lies behind `fetch failed`. */
export function causeMessage(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown
  return errorMessage(cause)
}

/** What the SDK says, without the pages that some servers answer with. */
export function sdkMessage(thrown: unknown): string {
  if (SdkHttpError.isInstance(thrown)) return `HTTP ${thrown.status}${httpHint(thrown.status)}`
  const [line = ''] = errorMessage(thrown).split('\n')
  return line.length > 500 ? `${line.slice(0, 500)}…` : line
}

function httpHint(status: number): string {
  if (status >= 300 && status < 400) return ' (it sends on to another address, which is not followed)'
  if (status === 401 || status === 403) return ' (it does not accept the `headers` it was sent)'
  return ''
}
