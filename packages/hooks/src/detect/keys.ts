import { KEY_FORMATS } from '../stock/text-patterns.ts'
import type { MatchContext, DetectPattern } from './find-patterns.ts'

/** Length of the longest secret with a space before its value. */
export const LONGEST_SECRET = 256

/** Formats of keys beside those that the hook `redact` knows. */
const MORE_FORMATS: readonly DetectPattern[] = [
  { kind: 'key', pattern: String.raw`\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}`, needles: ['SG.'] },
  {
    kind: 'key',
    pattern: String.raw`\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}`,
    needles: ['_live_', '_test_'],
  },
  { kind: 'key', pattern: String.raw`\bAGE-SECRET-KEY-1[A-Z0-9]{50,}`, needles: ['AGE-SECRET-KEY-'] },
  { kind: 'key', pattern: String.raw`\bdop_v1_[a-f0-9]{64}\b`, needles: ['dop_v1_'] },
  {
    kind: 'key',
    pattern: String.raw`https://hooks\.slack\.com/services/[A-Za-z0-9/]{20,}`,
    needles: ['hooks.slack.com'],
  },
]

const NAME = String.raw`(?:pass(?:word|wd|phrase)|pwd|secret|token|api[ _-]?key|access[_-]?key|private[_-]?key|credentials?)`

/** Values after a name that says that they are secret. */
const NAMED: readonly DetectPattern[] = [
  {
    kind: 'password',
    pattern: String.raw`${NAME}[\w.-]{0,20}["']?\s{0,3}(?::|=>|=)\s{0,3}["']?([^\s"'\x60,;<>()]{8,})`,
    needles: [':', '='],
    ignoresCase: true,
    accepts: looksSecret,
  },
  {
    kind: 'password',
    pattern: String.raw`\b${NAME}(?: (?:for|of|to) (?:[\w-]{1,20} ){1,4}| )(?:is|was) ["']?([^\s"'\x60,;<>()]{8,})`,
    needles: [' is ', ' was '],
    ignoresCase: true,
    accepts: looksSecret,
  },
  {
    kind: 'key',
    pattern: String.raw`\b(?:api|access|secret|private)[ _-]?key ([a-z0-9_-]{16,})`,
    needles: ['key '],
    ignoresCase: true,
    accepts: looksSecret,
  },
  {
    kind: 'password',
    pattern: String.raw`\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s:/@]{1,100}:([^\s/@]{3,})@`,
    needles: ['://'],
    accepts: (value) => !isPlaceholder(value),
  },
]

/** Long random words without a name. */
const RANDOM: DetectPattern = {
  kind: 'random text',
  pattern: String.raw`[A-Za-z0-9_~+/-]{32,}`,
  accepts: (word, context) => isRandom(word) && !isData(context),
}

/** Patterns of keys and passwords; with `entropy` also of long random words. */
export function keyPatterns(entropy: boolean): readonly DetectPattern[] {
  const formats = KEY_FORMATS.map((format) => ({ ...format, kind: 'key' }))
  return [...formats, ...MORE_FORMATS, ...NAMED, ...(entropy ? [RANDOM] : [])]
}

const PLACEHOLDER =
  /^[$<{%[*]|^(?:x+|your|my|the|null|none|true|false|undefined|changeme|example|placeholder|redacted|secret|password|getpass|process\.env|os\.environ|env\.)(?:$|[^a-z0-9])|\.\.\.|\*\*\*/iu

function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value)
}

/** Returns true for a value with letters and with digits or signs, as passwords and keys have. */
function looksSecret(value: string): boolean {
  const text = value.replace(/[.!?:]+$/u, '')
  if (text.length < 8 || isPlaceholder(text) || !/[A-Za-z]/u.test(text)) return false
  return (/\d/u.test(text) || /[^\w.:/-]/u.test(text)) && entropyOf(text) >= 2.5
}

/** Returns true for a word of mixed letters and digits without a pattern, other than hexadecimal numbers. */
function isRandom(word: string): boolean {
  if (!/[a-z]/u.test(word) || !/[A-Z]/u.test(word) || !/\d/u.test(word)) return false
  if (/^(?:AAAA|MII)/u.test(word)) return false
  return entropyOf(word) >= 4.2
}

const MAX_ADDRESS = 2000

/** Returns true for a word that is part of an address, or encoded data or a checksum. */
function isData({ text, start, end }: MatchContext): boolean {
  let from = start
  while (from > 0 && start - from < MAX_ADDRESS && !/\s/u.test(text.charAt(from - 1))) from -= 1
  const word = text.slice(from, end)
  return (
    /:\/\/|base64,|sha\d+-/iu.test(word) ||
    /ssh-[a-z0-9]{2,20} $/u.test(text.slice(Math.max(0, from - 30), from))
  )
}

/** Returns the entropy of the characters of a text, in bits per character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let entropy = 0
  for (const count of counts.values()) entropy -= (count / text.length) * Math.log2(count / text.length)
  return entropy
}
