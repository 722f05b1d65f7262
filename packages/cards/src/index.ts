export type { CardPosition, CardProblem, FieldReport, ParsedCard, Phrase } from './card/card-types.ts'
export type { ParseOptions, ReadOptions } from './formats/card-format.ts'
export type { CardFormat, CardFormats } from './formats/card-format.ts'
export { cardJsonSchema } from './fields/card-json-schema.ts'
export { shortDurations, type ShortDuration } from './fields/short-durations.ts'
export { SERVER_KEY_SUGGESTIONS } from './fields/suggest-key.ts'
export {
  convertCard,
  type Conversion,
  type ConvertCardOptions,
  type ConvertedCard,
} from './convert/convert-card.ts'
export { parseCard, parseCards } from './parse/parse-card.ts'
export { localFiles, readCard, readCards } from './read/read-card.ts'
export {
  agentsFolderOf,
  projectFoldersIn,
  listNonCards,
  readCardFiles,
  readCardFolder,
  type CardFile,
  type NonCardFile,
} from './read/read-card-folder.ts'
export { readMarkdown, type MarkdownFile } from './read/read-markdown.ts'
export { readJsonObject, readYamlObject, type JsonReadResult } from './read/read-markdown.ts'
export { renderTemplate, type TemplateDefaults, type TemplateOptions } from './template/render-template.ts'
