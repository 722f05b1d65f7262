export type { FieldReport } from '../card-types.ts'
export { dottedPath, quotedPath, type FieldPath } from '../fields/field-path.ts'
export { SERVER_KEYS, suggestKey } from '../fields/suggest-key.ts'
export type { Position, ProblemDraft } from '../problem.ts'
export { addToList } from './add-to-list.ts'
export type {
  CardFormat,
  CardFormats,
  FieldContext,
  FieldOutcome,
  FieldRow,
  OtherFile,
  ProjectSettings,
  RawCard,
  ToolAlias,
  Translation,
} from './card-format.ts'
export { ignoredOwnKeyProblem, isSafeToIgnore } from './own-keys.ts'
export { INHERITED_MODEL, modelOfAlias, putModels, type ModelMapping, type ReadModel } from './put-models.ts'
export { createRewriter, type Rewriter } from './rewriter.ts'
export { textList, type ListedText } from './text-list.ts'
export { SHARED_RUNTIME_TOOLS, createToolPermissions, type ToolPermissions } from './tool-permissions.ts'
export { ownKeyOf } from './troupe-aliases.ts'
export { troupeFormat } from './troupe.ts'
