import {
  convertCard as convert,
  parseCard as parse,
  parseCards as parseAll,
  readCard as read,
  readCardFolder as readFolder,
  readCards as readAll,
  type Conversion,
  type ParsedCard,
  type ParseOptions,
} from '@troupe/cards'
import { troupeFormat, type CardFormat } from '@troupe/cards/formats'
import { CARD_FORMATS } from '../src/index.ts'

export type { ParsedCard }

const formats = CARD_FORMATS

/** All formats, Troupe's first. */
export const ALL_FORMATS: readonly CardFormat[] = [troupeFormat, ...formats.formats]

export const parseCard = (text: string, options: ParseOptions): ParsedCard =>
  parse(text, { ...options, formats })
export const parseCards = (text: string, options: ParseOptions): readonly ParsedCard[] =>
  parseAll(text, { ...options, formats })
export const convertCard = (text: string, options: ParseOptions & { readonly to?: string }): Conversion =>
  convert(text, { ...options, formats })
export const readCard = (path: string): ParsedCard => read(path, { formats })
export const readCards = (path: string): readonly ParsedCard[] => readAll(path, { formats })
export const readCardFolder = (folder: string): readonly ParsedCard[] => readFolder(folder, { formats })

/** Returns the errors of a card as `line:column code message`. */
export function errorsOf({ problems }: ParsedCard): readonly string[] {
  return problems
    .filter(({ severity }) => severity === 'error')
    .map(({ line, column, code, message }) => `${line ?? '-'}:${column ?? '-'} ${code} ${message}`)
}
