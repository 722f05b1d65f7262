export { readCases, type CaseFiles } from './cases/read-cases.ts'
export type { EvalCase, EvalFile, JudgeLabel, JudgeLabels } from './cases/eval-case.ts'
export type { Bounds, CheckFields, CheckType, EvalCheck } from './cases/eval-check.ts'
export type { ToolStub } from './cases/tool-stub.ts'
export type { CheckArgument, CheckFunction } from './checks/function-check.ts'
export type { JudgeCalibration } from './judge/calibration.ts'
export { RECORDING_MODES, type AnswerSource, type RecordingMode } from './recordings/call-recorder.ts'
export { openRecordingFolder, type AnswerRecordings } from './recordings/recording-folder.ts'
export { createEvalSpending, type EvalSpending } from './recordings/spending.ts'
export { addCase, type AddedCase } from './datasets/add-case.ts'
export { caseFromRun, type DraftCase, type CaseSource } from './datasets/case-from-run.ts'
export { openReports } from './history/open-reports.ts'
export { REPORT_FOLDER, saveReport, type ReportToSave } from './history/save-report.ts'
export type { EvalReports, ReportSummary, StoredReport } from './history/stored-report.ts'
export { formatHtml } from './report/html/format-html.ts'
export { formatJunit } from './report/format-junit.ts'
export { formatTable, type TableOptions } from './report/format-table.ts'
export type {
  EvalCaseReport,
  EvalCheckResult,
  EvalComparison,
  EvalRepeat,
  EvalReport,
  EvalTotals,
  EvalVariantReport,
  EvalVerdict,
} from './report/eval-report.ts'
export { isConfigError, parseReport } from './run/compare-reports.ts'
export {
  runEvals,
  type EvalBase,
  type EvalOptions,
  type EvalProgress,
  type EvalResult,
} from './run/run-evals.ts'
export {
  compareCounts,
  type CountComparison,
  type CountVerdict,
  type PairedCase,
} from './statistics/compare-counts.ts'
export {
  fisherTest,
  holmAdjust,
  mcNemarTest,
  stratifiedTest,
  type PassCount,
} from './statistics/exact-tests.ts'
export { repeatsToCall, repeatsToCallOneCase } from './statistics/repeats-needed.ts'
export { wilsonInterval } from './statistics/wilson.ts'
export type { EvalTeam, OpenTeam } from './teams/eval-team.ts'
