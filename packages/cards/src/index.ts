export type {
  CardPosition,
  CardProblem,
  FieldReport,
  ParsedCard,
  ParseOptions,
  Phrase,
  ReadOptions,
} from './card-types.ts'
export { cardJsonSchema } from './card-json-schema.ts'
export { closest } from './closest.ts'
export { convertCard, type Conversion, type ConvertedCard } from './convert-card.ts'
export { parseCard, parseCards } from './parse-card.ts'
export { readCard, readCards } from './read-card.ts'
export { readCardFiles, readCardFolder, type CardFile } from './read-card-folder.ts'
export { readMarkdown, type MarkdownFile } from './read-markdown.ts'
export { readJsonObject, type JsonReading } from './read-json-object.ts'
export { renderTemplate, type TemplateDefaults, type TemplateOptions } from './render-template.ts'
