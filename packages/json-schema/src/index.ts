export { findSchemaProblem, measureSchema, type SchemaMeasure } from './find-schema-problem.ts'
export { mapSchema, schemasIn, type LocatedSchema } from './map-schema.ts'
export { keywordContentKind, memberContentKind, type KeywordContentKind } from './schema-keywords.ts'
export { relaxationText, type SchemaRelaxation } from './schema-relaxation.ts'
