export { createOverlay, type EnvLayer, type Overlay } from './overlay.ts'
export {
  expandText,
  expandValues,
  findVariables,
  type Expanded,
  type MentionedVariable,
  ENV_OPTION,
  missingVariables,
} from './expand.ts'
export { parseEnvFile, type EnvFile, type EnvFileProblem } from './env-file.ts'
export { createRedactor } from './redactor.ts'
export { redactValues } from './redact-values.ts'
export type { Secret } from './secrets.ts'
export { secretsInUse } from './secrets-in-use.ts'
