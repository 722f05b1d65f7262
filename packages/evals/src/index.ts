export type { EvalReport } from './report/eval-report.ts'
