/** A text reduced to the letters that a reader sees, with the position of each character in the original. */
export interface FoldedText {
  /** Small Latin letters, digits and signs, without accents; all spaces are single. */
  readonly text: string
  /** Index in the original of each character, and of the end. */
  readonly positions: Uint32Array
}

/** Returns true for characters that are not displayed, other than joiners that scripts and emoji need. */
export function isHidden(code: number): boolean {
  return (
    code === 0xad ||
    code === 0x200b ||
    code === 0x200c ||
    code === 0x200d ||
    code === 0x200e ||
    code === 0x200f ||
    (code >= 0x202a && code <= 0x202e) ||
    (code >= 0x2060 && code <= 0x2069) ||
    code === 0xfeff ||
    (code >= 0xfe00 && code <= 0xfe0f) ||
    (code >= 0xe0000 && code <= 0xe01ef)
  )
}

/** Letters of other scripts that look like Latin ones. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    а: 'a',
    в: 'b',
    е: 'e',
    к: 'k',
    м: 'm',
    н: 'h',
    о: 'o',
    р: 'p',
    с: 'c',
    т: 't',
    у: 'y',
    х: 'x',
    і: 'i',
    ј: 'j',
    ѕ: 's',
    ԁ: 'd',
    ԛ: 'q',
    ԝ: 'w',
    ӏ: 'l',
    ѵ: 'v',
    г: 'r',
    п: 'n',
    α: 'a',
    β: 'b',
    ε: 'e',
    η: 'n',
    ι: 'i',
    κ: 'k',
    ν: 'v',
    ο: 'o',
    ρ: 'p',
    τ: 't',
    υ: 'u',
    χ: 'x',
    γ: 'y',
    ı: 'i',
    ł: 'l',
    ø: 'o',
    ß: 'ss',
  }),
)

/** Digits and signs that are written in place of letters. */
const LEET: ReadonlyMap<string, string> = new Map(
  Object.entries({ 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', '@': 'a', $: 's', '!': 'i' }),
)

const MARKS = /\p{M}/gu
const SPACE = /\s/u

/** Folds a text. Characters that are not displayed are left out. */
export function foldText(text: string): FoldedText {
  const folded: string[] = []
  const positions = new Uint32Array(2 * text.length + 1)
  let length = 0
  let isAfterSpace = false
  for (let at = 0; at < text.length;) {
    const code = text.codePointAt(at) ?? 0
    const character = String.fromCodePoint(code)
    const letters = code < 0x80 ? character.toLowerCase() : foldCharacter(code, character)
    const isSpace = SPACE.test(letters)
    if (letters !== '' && !(isSpace && isAfterSpace)) {
      const shown = isSpace ? ' ' : letters
      // a compatibility character can stand for many letters, such as a unit or a word
      for (let index = 0; index < shown.length && length < positions.length - 1; index += 1) {
        positions[length] = at
        folded.push(shown.charAt(index))
        length += 1
      }
      isAfterSpace = isSpace
    }
    at += character.length
  }
  positions[length] = text.length
  return { text: folded.join(''), positions: positions.subarray(0, length + 1) }
}

function foldCharacter(code: number, character: string): string {
  if (isHidden(code)) return ''
  if (code === 0x2018 || code === 0x2019) return "'"
  const plain = character.normalize('NFKD').replaceAll(MARKS, '').toLowerCase()
  return LOOKALIKES.get(plain) ?? plain
}

/** Replaces digits and signs in words by the letters that they stand for. Positions stay the same. */
export function unleet({ text, positions }: FoldedText): FoldedText {
  let result = ''
  for (const character of text) result += LEET.get(character) ?? character
  return { text: result, positions }
}

/** Returns the part of the original text that a part of the folded text stands for. */
export function originalRange(
  { positions }: FoldedText,
  start: number,
  end: number,
): { readonly start: number; readonly end: number } {
  return { start: positions[start] ?? 0, end: positions[end] ?? 0 }
}
