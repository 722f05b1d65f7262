export type { EvalReport } from './report/eval-report.ts'
export { readCases } from './cases/read-cases.ts'
