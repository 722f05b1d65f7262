export {
  readCassette,
  writeCassette,
  type Cassette,
  type CassetteEntry,
  type RecordedAgent,
  type RecordedModelAnswer,
  type RecordedModel,
  type RecordedTool,
} from './cassette.ts'
export { createRecorder, type Recorder } from './create-recorder.ts'
export { createReplay, type CassetteReplay, type ReplayParts } from './create-replay.ts'
export {
  changeText,
  firstChange,
  type RunChange,
  differenceText,
  firstDifference,
  type Difference,
} from './first-change.ts'
export { childRunPath, createRunPaths, parseRunPath, type RunPaths } from './run-paths.ts'
export { createStepKeys, toCassette, type StepKeys, type RecordedRun } from './to-cassette.ts'
export { findRecordedAgent } from './recorded-agent.ts'
export { toEntry } from './to-entry.ts'
