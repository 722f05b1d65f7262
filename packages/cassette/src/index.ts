export type {
  Cassette,
  CassetteEntry,
  RecordedAgent,
  RecordedModelAnswer,
  RecordedModel,
  RecordedTool,
} from './cassette.ts'
export { readCassette, writeCassette } from './cassette-text.ts'
export { createRecorder, type Recorder } from './create-recorder.ts'
export { createReplay, type CassetteReplay, type ReplayParts } from './create-replay.ts'
export { changeText, firstChange, type RunChange } from './first-change.ts'
export { differenceText, firstDifference, type Difference } from './first-difference.ts'
export { childRunPath, createRunPaths, parseRunPath, type RunPaths } from './run-paths.ts'
export { createStepKeys, type StepKeys } from './step-keys.ts'
export { findRecordedAgent } from './find-recorded-agent.ts'
export { toCassette, type RecordedRun } from './to-cassette.ts'
export { toEntry } from './to-entry.ts'
