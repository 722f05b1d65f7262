import type { Readable, Writable } from 'node:stream'
import { createHiddenSecrets, type HiddenSecrets } from '../output/hidden-secrets.ts'
import { createNotes, type Notes } from '../output/notes.ts'
import { createStyle, type Style } from './style.ts'

/** Output stream that may be a terminal. */
export interface Output extends Writable {
  readonly isTTY?: boolean
  /** Width and height in characters, if it is a terminal. */
  readonly columns?: number
  readonly rows?: number
}

/** Input stream that may be a terminal. */
export interface Input extends Readable {
  readonly isTTY?: boolean
  /** File descriptor, if any. */
  readonly fd?: number
  /** Switches a terminal to raw mode, in which every key is delivered as it is typed, Ctrl-C included. */
  setRawMode?(mode: boolean): unknown
}

/** Standard streams of the program and their capabilities. */
export interface Terminal {
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
  readonly secrets: HiddenSecrets
  /** Text that card functions print. */
  readonly notes: Notes
  /** True if the user can be asked: stdin and stderr are terminals. */
  readonly interactive: boolean
  /** True if stdin is piped or redirected; false for a terminal or a device such as /dev/null. */
  readonly piped: boolean
  /** True if lines on stderr can be redrawn. */
  readonly animated: boolean
  /** Style for stderr. */
  readonly style: Style
  /** Style for stdout. */
  readonly outStyle: Style
}

/**
 * Creates a terminal from the streams. Respects `NO_COLOR`, `TERM=dumb` and `CI`; `color: false` always turns
 * colours off.
 */
export function createTerminal(
  streams: { readonly stdin: Input; readonly stdout: Output; readonly stderr: Output },
  options: {
    readonly env: Readonly<Record<string, string | undefined>>
    readonly color?: boolean
    /** True if stdin is a character device: a terminal, or one without input such as /dev/null. */
    readonly fromDevice?: boolean
  },
): Terminal {
  const { env, color = true, fromDevice = false } = options
  const isTerminal = streams.stderr.isTTY === true
  const isDumb = env['TERM'] === 'dumb'
  // By the convention of `NO_COLOR`, every non-empty value counts, even `false`.
  const colors = color && !isDumb && (env['NO_COLOR'] ?? '') === ''
  const secrets = createHiddenSecrets()
  const stderr = secrets.guard(streams.stderr)
  return {
    stdin: streams.stdin,
    stdout: secrets.guard(streams.stdout),
    stderr,
    secrets,
    notes: createNotes(stderr),
    interactive: isTerminal && streams.stdin.isTTY === true,
    piped: streams.stdin.isTTY !== true && !fromDevice,
    animated: isTerminal && !isDumb && !isSet(env['CI']),
    style: createStyle(colors && isTerminal),
    outStyle: createStyle(colors && streams.stdout.isTTY === true),
  }
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== 'false'
}
