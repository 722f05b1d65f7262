/* oxlint-disable no-control-regex -- this file takes control characters out of text */

/** Options of {@link plainText}. */
export interface PlainTextOptions {
  /** Maximum length of the result in characters, including the `…`. Default: no limit. */
  readonly max?: number
  /** True to keep line breaks and tabs. By default they become single spaces. */
  readonly lines?: boolean
}

// complete escape sequences: CSI, string sequences such as OSC up to their terminator, and short ones
const CSI = /(?:\u001B\[|\u009B)[0-?]{0,64}[ -/]{0,8}[@-~]/gu
const STRING_SEQUENCE =
  /(?:\u001B[\]PX^_]|[\u009D\u0090\u0098\u009E\u009F])[^\u0007\u001B\u0080-\u009F]{0,4096}(?:\u0007|\u001B\\|\u009C)/gu
const SHORT_SEQUENCE = /\u001B[ -/]{0,4}[0-~]/gu
const SPACES = /[\t\n\v\f\r\u0085\u2028\u2029]+/gu
const LINE_BREAKS = /\r\n?|[\v\f\u0085\u2028\u2029]/gu
const CONTROLS = /[\u0000-\u001F\u007F-\u009F]/gu
const CONTROLS_BUT_LINES = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/gu
// characters that reorder the displayed text: embeddings, overrides, isolates and invisible direction marks
const BIDI = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu
const LONE_SURROGATE = /\p{Cs}/gu

/**
 * Makes text of a model, a tool or a person safe to print. Removes escape sequences, control characters and
 * bidirectional marks, so that the text can neither control a terminal nor pretend to be another line.
 */
export function plainText(text: string, { max, lines = false }: PlainTextOptions = {}): string {
  // text far beyond the limit need not be scanned
  const near = max === undefined ? text : text.slice(0, max * 4 + 256)
  const clean = near
    .replaceAll(STRING_SEQUENCE, '')
    .replaceAll(CSI, '')
    .replaceAll(SHORT_SEQUENCE, '')
    .replaceAll(lines ? LINE_BREAKS : SPACES, lines ? '\n' : ' ')
    .replaceAll(lines ? CONTROLS_BUT_LINES : CONTROLS, '')
    .replaceAll(BIDI, '')
    .replaceAll(LONE_SURROGATE, '\uFFFD')
  if (max === undefined) return clean
  return shorten(near.length === text.length ? clean : `${clean}…`, max)
}

/** Cuts text to `max` characters, marks the cut with `…` and never splits a surrogate pair. */
function shorten(text: string, max: number): string {
  if (text.length <= max) return text
  const characters = Array.from(text)
  return characters.length <= max ? text : `${characters.slice(0, Math.max(0, max - 1)).join('')}…`
}
