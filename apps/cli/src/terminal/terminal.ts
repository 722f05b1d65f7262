import { Writable, type Readable } from 'node:stream'
import { styleText } from 'node:util'
import { plainText } from '@troupe/timeline/plain-text'

/** Text decorations for the terminal. Without colours they return the text unchanged. */
export interface Style {
  bold(text: string): string
  dim(text: string): string
  italic(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
  cyan(text: string): string
}

export function createStyle(colors: boolean): Style {
  const decorate = (format: keyof Style) => (text: string) =>
    colors ? styleText(format, text, { validateStream: false }) : text
  return {
    bold: decorate('bold'),
    dim: decorate('dim'),
    italic: decorate('italic'),
    red: decorate('red'),
    green: decorate('green'),
    yellow: decorate('yellow'),
    cyan: decorate('cyan'),
  }
}

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
  /** True if the user can be asked: stdin and stderr are terminals, and `CI` is not set. */
  readonly interactive: boolean
  /** True if stdin is piped or redirected; false for a terminal or a device such as /dev/null. */
  readonly piped: boolean
  /** True if lines on stderr can be redrawn. */
  readonly animated: boolean
  /** Style for stderr. */
  readonly style: Style
  /** Style for stdout. */
  readonly outStyle: Style
  /** True if `outStyle` has colours. */
  readonly outColors: boolean
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
  const outColors = colors && streams.stdout.isTTY === true
  const secrets = createHiddenSecrets()
  const stderr = secrets.guard(streams.stderr)
  return {
    stdin: streams.stdin,
    stdout: secrets.guard(streams.stdout),
    stderr,
    secrets,
    notes: createNotes(stderr),
    interactive: isTerminal && streams.stdin.isTTY === true && !isSet(env['CI']),
    piped: streams.stdin.isTTY !== true && !fromDevice,
    animated: isTerminal && !isDumb && !isSet(env['CI']),
    style: createStyle(colors && isTerminal),
    outStyle: createStyle(outColors),
    outColors,
  }
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== 'false'
}

/**
 * Text that card functions print while a command runs. It goes to stderr, because stdout is for the answer.
 * Control characters are removed, because the text may come from a model.
 */
export interface Notes {
  /** Stream for such text. By default it writes to stderr at once. */
  readonly stream: Writable
  /** Sends the text to `sink` instead. Returns a function that undoes this. */
  divert(sink: (text: string) => void): () => void
}

/** Creates notes that go to `output` unless they are diverted. */
function createNotes(output: Writable): Notes {
  const straight = (text: string): void => void output.write(text)
  let sink = straight
  return {
    stream: new Writable({
      decodeStrings: false,
      write(chunk: unknown, _encoding, done) {
        sink(plainText(String(chunk), { lines: true }))
        done()
      },
    }),
    divert(elsewhere) {
      sink = elsewhere
      return () => {
        sink = straight
      }
    },
  }
}

/** Secrets that are removed from all output. More are added as their sources become known. */
interface HiddenSecrets {
  add(hide: (text: string) => string): void
  /** Wraps an output so that secrets are removed from every text written to it. */
  guard<T extends Output>(output: T): T
}

/**
 * Creates the set of hidden secrets. Runs redact their events themselves; this also covers help, tables and
 * output of card functions.
 */
function createHiddenSecrets(): HiddenSecrets {
  const redactors = new Set<(text: string) => string>()
  const redactAll = (text: string): string => {
    let redacted = text
    for (const redact of redactors) redacted = redact(redacted)
    return redacted
  }
  return {
    add: (redact) => void redactors.add(redact),
    guard: (output) =>
      new Proxy(output, {
        get: (target, key) => {
          const value: unknown = Reflect.get(target, key)
          if (typeof value !== 'function') return value
          if (key !== 'write') return value.bind(target) as unknown
          return (chunk: unknown, ...rest: readonly unknown[]): unknown =>
            Reflect.apply(value, target, [typeof chunk === 'string' ? redactAll(chunk) : chunk, ...rest])
        },
      }),
  }
}

/**
 * Reads the size of the terminal again, which emits `resize` if it changed. Node does this on SIGWINCH only,
 * possibly several frames late; those frames would be drawn over lines that the terminal has already
 * rewrapped.
 */
export function refreshSize(output: Output): void {
  const refresh: unknown = Reflect.get(output, '_refreshSize')
  if (typeof refresh === 'function') Reflect.apply(refresh, output, [])
}
