import type { DetectPattern } from './find-patterns.ts'

/** Kinds of personal data that can be found. */
export const PERSONAL_DATA_KINDS = ['email', 'phone', 'iban', 'card'] as const
/** See {@link PERSONAL_DATA_KINDS}. */
export type PersonalDataKind = (typeof PERSONAL_DATA_KINDS)[number]

/** Length of the longest number with spaces. */
export const LONGEST_NUMBER = 48

/** Patterns of mail addresses, telephone numbers, bank accounts and cards, with their check digits. */
export const PERSONAL_DATA: Readonly<Record<PersonalDataKind, readonly DetectPattern[]>> = {
  email: [
    {
      kind: 'email',
      pattern: String.raw`[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,7}\.[A-Za-z]{2,24}`,
      needles: ['@'],
    },
    {
      kind: 'email',
      pattern: String.raw`[a-z0-9._%+-]{1,64} ?[(\[{]at[)\]}] ?[a-z0-9-]{1,63}(?: ?(?:\.|[(\[{]dot[)\]}]) ?[a-z0-9-]{2,63}){1,4}`,
      needles: ['at)', 'at]', 'at}'],
      ignoresCase: true,
    },
  ],
  phone: [
    {
      kind: 'phone',
      pattern: String.raw`(?:\+|\b00)[1-9]\d{0,2}[ ()./-]{0,2}(?:\d[ ()./-]{0,2}){6,13}\d\b`,
      accepts: (match, context) => hasDigits(match, 8, 17) && stands(context),
    },
    {
      kind: 'phone',
      pattern: String.raw`\b0[1-9]\d{1,4}[ /-]{1,3}\d(?:[ -]?\d){4,9}\b`,
      accepts: (match, context) => hasDigits(match, 7, 13) && stands(context),
    },
    {
      kind: 'phone',
      pattern: String.raw`\(0?\d{2,5}\) ?\d{3,4}[ -]?\d{3,5}\b|\b\d{3}[-.]\d{3}[-.]\d{4}\b`,
      accepts: (_match, context) => stands(context),
    },
  ],
  iban: [
    {
      kind: 'iban',
      pattern: String.raw`\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b`,
      accepts: isIban,
    },
  ],
  card: [
    {
      kind: 'card',
      pattern: String.raw`\b[2-6]\d{3}(?:[ -]?\d){9,15}\b`,
      accepts: (match, context) => isCard(match) && stands(context),
    },
  ],
}

function digitsOf(text: string): string {
  return text.replaceAll(/\D/gu, '')
}

function hasDigits(text: string, least: number, most: number): boolean {
  const { length } = digitsOf(text)
  return length >= least && length <= most
}

const ADJACENT = /[\p{L}\d_-]/u

/** Returns true if a number is not a part of a longer one, or of a name. */
function stands({ text, start, end }: { text: string; start: number; end: number }): boolean {
  return !ADJACENT.test(text.charAt(start - 1)) && !ADJACENT.test(text.charAt(end))
}

/** Checks the number of digits, the first digits and the check digit (Luhn) of a card number. */
function isCard(text: string): boolean {
  const digits = digitsOf(text)
  if (!/^(?:4|5[1-5]|2[2-7]|3[47]|6)/u.test(digits) || digits.length < 13 || digits.length > 19) return false
  let sum = 0
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits.charAt(digits.length - 1 - index))
    const doubled = digit * 2
    sum += index % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** Lengths of IBANs by country. */
const IBAN_LENGTHS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    AD: 24,
    AE: 23,
    AL: 28,
    AT: 20,
    AZ: 28,
    BA: 20,
    BE: 16,
    BG: 22,
    BH: 22,
    BR: 29,
    BY: 28,
    CH: 21,
    CR: 22,
    CY: 28,
    CZ: 24,
    DE: 22,
    DK: 18,
    DO: 28,
    EE: 20,
    EG: 29,
    ES: 24,
    FI: 18,
    FO: 18,
    FR: 27,
    GB: 22,
    GE: 22,
    GI: 23,
    GL: 18,
    GR: 27,
    GT: 28,
    HR: 21,
    HU: 28,
    IE: 22,
    IL: 23,
    IQ: 23,
    IS: 26,
    IT: 27,
    JO: 30,
    KW: 30,
    KZ: 20,
    LB: 28,
    LC: 32,
    LI: 21,
    LT: 20,
    LU: 20,
    LV: 21,
    LY: 25,
    MC: 27,
    MD: 24,
    ME: 22,
    MK: 19,
    MR: 27,
    MT: 31,
    MU: 30,
    NL: 18,
    NO: 15,
    PK: 24,
    PL: 28,
    PS: 29,
    PT: 25,
    QA: 29,
    RO: 24,
    RS: 22,
    SA: 24,
    SC: 31,
    SE: 24,
    SI: 19,
    SK: 24,
    SM: 27,
    ST: 25,
    SV: 28,
    TL: 23,
    TN: 24,
    TR: 26,
    UA: 29,
    VA: 22,
    VG: 24,
    XK: 20,
  }),
)

/** Checks the length for its country and the check digits (mod 97). Words after the number may be part of the match. */
function isIban(text: string): boolean {
  const code = text.replaceAll(' ', '')
  const length = IBAN_LENGTHS.get(code.slice(0, 2))
  if (length === undefined || code.length < length) return false
  const moved = code.slice(4, length) + code.slice(0, 4)
  let rest = 0
  for (const character of moved) {
    const value = Number.parseInt(character, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}
