export type { FieldReport } from '../card/card-types.ts'
export { dottedPath, quotedPath, type FieldPath } from '../card/problem.ts'
export { SERVER_KEYS, suggestKey } from '../fields/suggest-key.ts'
export type { Position, ProblemDraft } from '../card/problem.ts'
export { addToList } from './rewriter.ts'
export type {
  CardFormat,
  CardFormats,
  CardVariables,
  FieldContext,
  FieldOutcome,
  FieldRow,
  OtherFile,
  ProductFiles,
  ProductFolders,
  ProjectSettings,
  RawCard,
  ToolAlias,
  TomlReadResult,
  Translation,
} from './card-format.ts'
export { ignoredOwnKeyProblem, isSafeToIgnore } from './troupe-aliases.ts'
export { INHERITED_MODEL, modelOfAlias, putModels, type ModelMapping, type ReadModel } from './put-models.ts'
export { createRewriter, type Rewriter } from './rewriter.ts'
export { textList, type ListedText } from './text-list.ts'
export {
  APPROVAL_TOOLS,
  SHARED_RUNTIME_TOOLS,
  createToolPermissions,
  exactToolNames,
  type CallLimit,
  type ToolPermissions,
} from './tool-permissions.ts'
export { IGNORED_PARAMS, ownKeyOf, REQUEST_PARAMS } from './troupe-aliases.ts'
export { troupeFormat } from './troupe.ts'
