import type { Readable, Writable } from 'node:stream'
import { createHiddenSecrets, type HiddenSecrets } from '../tell/hidden-secrets.ts'
import { createNotes, type Notes } from '../tell/notes.ts'
import { createStyle, type Style } from './style.ts'

/** An output stream that may be a terminal. */
export interface Output extends Writable {
  readonly isTTY?: boolean
  /** Width and height in characters, where it is a terminal. */
  readonly columns?: number
  readonly rows?: number
}

/** An input stream that may be a terminal. */
export interface Input extends Readable {
  readonly isTTY?: boolean
  /** The descriptor behind it, where there is one. */
  readonly fd?: number
  /** Every key is handed over as it is typed, Ctrl-C too; where it is a terminal. */
  setRawMode?(mode: boolean): unknown
}

/** The three streams of the program and what they can do. */
export interface Terminal {
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
  readonly secrets: HiddenSecrets
  /** What functions of cards print. */
  readonly notes: Notes
  /** A person can be asked: stdin and stderr are terminals. */
  readonly interactive: boolean
  /** Something is piped or redirected into stdin; false for a terminal, and for /dev/null and the like. */
  readonly piped: boolean
  /** Lines of stderr can be drawn over. */
  readonly animated: boolean
  /** Of what goes to stderr. */
  readonly style: Style
  /** Of what goes to stdout. */
  readonly outStyle: Style
}

/** The streams as a terminal. `NO_COLOR`, `TERM=dumb` and `CI` are obeyed; `color` false turns colours off whatever they say. */
export function createTerminal(
  streams: { readonly stdin: Input; readonly stdout: Output; readonly stderr: Output },
  options: {
    readonly env: Readonly<Record<string, string | undefined>>
    readonly color?: boolean
    /** stdin is a character device: a terminal, or one that gives nothing. */
    readonly fromDevice?: boolean
  },
): Terminal {
  const { env, color = true, fromDevice = false } = options
  const isTerminal = streams.stderr.isTTY === true
  const isDumb = env['TERM'] === 'dumb'
  // by its own rule any value counts, also `false`
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
