export type {
  CardPosition,
  CardProblem,
  FieldReport,
  ParsedCard,
  ParseOptions,
  Phrase,
  ReadOptions,
} from './card-types.ts'
export type { CardFormat, CardFormats } from './formats/card-format.ts'
export { cardJsonSchema } from './fields/card-json-schema.ts'
export { shortDurations, type ShortDuration } from './fields/short-durations.ts'
export { SERVER_KEY_SUGGESTIONS } from './fields/suggest-key.ts'
export { convertCard, type Conversion, type ConvertedCard } from './convert-card.ts'
export { parseCard, parseCards } from './parse-card.ts'
export { readCard, readCards, readProjectFile } from './file/read-card.ts'
export {
  listNonCards,
  readCardFiles,
  readCardFolder,
  type CardFile,
  type NonCardFile,
} from './file/read-card-folder.ts'
export { readMarkdown, type MarkdownFile } from './file/read-markdown.ts'
export { readJsonObject, type JsonReadResult } from './file/read-json-object.ts'
export { renderTemplate, type TemplateDefaults, type TemplateOptions } from './template/render-template.ts'
