import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import { troupeError, TroupeError } from '@troupe/schema'
import { listFirst } from '@troupe/schema/text'
import { loginFailure } from '../auth/login-failure.ts'
import { causeMessage, isNetworkError, sdkMessage } from '../requests/call-tool.ts'
import type { HttpTarget, ServerTarget, StdioTarget } from '../target/server-target.ts'
import { StdioTransport } from '../stdio/stdio-transport.ts'

const OUTPUT_SHOWN = 4096

/** Context of a failed start. */
interface StartAttempt {
  readonly target: ServerTarget
  /** The transport of the last attempt. */
  readonly transport: unknown
  /** True if a 401 response is to be reported as a missing login, false if as wrong `headers`. */
  readonly hasLogins: boolean
  /** Time limit in ms, if the start timed out. */
  readonly timedOutAfter?: number
}

/** Returns the reason why a server did not start, as `mcp_start_failed` or as a login failure. */
export function startFailure(thrown: unknown, attempt: StartAttempt): TroupeError {
  if (TroupeError.isInstance(thrown) && thrown.code === 'mcp_start_failed') return thrown
  const { target } = attempt
  const login = attempt.hasLogins ? loginFailure(thrown, target.server) : undefined
  if (login !== undefined) return login
  const reason =
    target.kind === 'stdio' ? stdioReason(thrown, target, attempt) : httpReason(thrown, target, attempt)
  return troupeError('mcp_start_failed', `The MCP server "${target.server}" ${reason.text}`, {
    cause: thrown,
    ...(reason.fix === undefined ? {} : { fix: reason.fix }),
  })
}

interface Reason {
  readonly text: string
  readonly fix?: string
}

function stdioReason(thrown: unknown, target: StdioTarget, attempt: StartAttempt): Reason {
  const code = (thrown as { readonly code?: unknown } | null)?.code
  if (code === 'ENOENT' || code === 'EACCES') return commandReason(code, target)
  const transport = attempt.transport instanceof StdioTransport ? attempt.transport : undefined
  const output = transport?.stderr.text(OUTPUT_SHOWN) ?? ''
  const said = output === '' ? ' It wrote nothing to its error output.' : ` Its error output:\n${output}`
  const text = `(${target.command}) ${stdioEnd(thrown, attempt, transport?.exit)}.${said}`
  return attempt.timedOutAfter === undefined ? { text } : { text, fix: slowStartFix(target) }
}

/** Commands that may download a package before they start it. */
const PACKAGE_RUNNERS: ReadonlySet<string> = new Set(['npx', 'bunx', 'uvx', 'pnpm', 'pipx', 'yarn'])

/** Maximum number of variables that are listed. */
const MAX_NAMES = 20

function slowStartFix({ command, env }: StdioTarget): string {
  const runner = basename(command).replace(/\.(?:cmd|exe)$/u, '')
  const download = PACKAGE_RUNNERS.has(runner)
    ? `${runner} may be downloading the package; install it, or run the command once by hand. `
    : ''
  const names = listFirst(Object.keys(env).toSorted(), { max: MAX_NAMES })
  return `${download}The process gets only these variables: ${names}. If it needs others, such as those of a proxy or a registry, list them under \`env\` of the server.`
}

function stdioEnd(thrown: unknown, { timedOutAfter }: StartAttempt, exit: string | undefined): string {
  if (timedOutAfter !== undefined) return `did not answer within ${timedOutAfter / 1000} s`
  if (exit !== undefined) return `${exit} before it was ready`
  return isConnectionEnd(thrown)
    ? 'closed its output before it was ready'
    : `could not be used: ${sdkMessage(thrown)}`
}

function isConnectionEnd(thrown: unknown): boolean {
  return (
    SdkError.isInstance(thrown) &&
    (thrown.code === SdkErrorCode.ConnectionClosed || thrown.code === SdkErrorCode.EraNegotiationFailed)
  )
}

function commandReason(code: 'ENOENT' | 'EACCES', { command, cwd, env }: StdioTarget): Reason {
  if (!existsSync(cwd))
    return { text: `cannot start in ${cwd}: the folder does not exist.`, fix: 'Correct `cwd`.' }
  if (code === 'EACCES')
    return {
      text: `cannot start: ${command} is not executable.`,
      fix: 'Make the file executable, or set `command` to its interpreter.',
    }
  const inPath = env['PATH'] === undefined ? ', and PATH is not set.' : ' in PATH.'
  const where = /[/\\]/u.test(command) ? `. It was resolved from ${cwd}.` : inPath
  return {
    text: `cannot start: the command ${JSON.stringify(command)} was not found${where}`,
    fix: 'Install it, or set `command` to its full path.',
  }
}

function httpReason(thrown: unknown, { url }: HttpTarget, { timedOutAfter }: StartAttempt): Reason {
  const address = `${url.origin}${url.pathname}`
  if (timedOutAfter !== undefined)
    return { text: `at ${address} did not answer within ${timedOutAfter / 1000} s.` }
  const network = rootNetworkError(thrown)
  if (network !== undefined)
    return {
      text: `at ${address} cannot be reached: ${network}.`,
      fix: 'Check `url`, and that the server is running.',
    }
  return { text: `at ${address} cannot be used: ${sdkMessage(thrown)}.`, fix: 'Check `url` and `headers`.' }
}

function rootNetworkError(thrown: unknown): string | undefined {
  if (isNetworkError(thrown)) return causeMessage(thrown)
  const cause = thrown instanceof Error ? thrown.cause : undefined
  return isNetworkError(cause) ? causeMessage(cause) : undefined
}
