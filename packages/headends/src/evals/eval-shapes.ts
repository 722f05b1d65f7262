import type { EvalComparison, EvalTotals, ReportSummary, StoredReport } from '@troupe/evals'
import { OUTCOMES } from '@troupe/schema'
import { z } from 'zod'
import { count } from '../routes/shapes.ts'

/** Body of the response of `GET /api/evals`. */
export interface ReportList {
  readonly reports: readonly ReportSummary[]
}

const text = z.string()
const usage = z
  .object({
    inputTokens: count,
    outputTokens: count,
    cost: z.number().nullable().meta({ description: 'In USD; null if the price of a call is not known.' }),
    durationMs: z.number(),
  })
  .meta({ id: 'EvalUsage' })
const totals: z.ZodType<EvalTotals> = z
  .object({
    passed: count,
    failed: count,
    errors: count.meta({ description: 'Repeats that broke for a reason outside the team.' }),
    rate: z.number().nullable().meta({ description: 'Passed / (passed + failed).' }),
    interval: z
      .tuple([z.number(), z.number()])
      .nullable()
      .meta({ description: 'The Wilson interval of the rate at 95 %.' }),
    usage,
    modelCalls: z.object({ asked: count, recorded: count }),
  })
  .meta({ id: 'EvalTotals' })
const verdict = z.enum(['better', 'worse', 'not distinguishable'])

const reportFields = {
  id: text,
  createdAt: text.meta({ description: 'ISO time.' }),
  commit: text.exactOptional(),
  agent: text,
  cardDigest: text.meta({ description: 'Digest of the cards of the team.' }),
  caseFiles: z.array(text).meta({ description: 'Names of the case files.' }),
}

const summaryShape: z.ZodType<ReportSummary> = z
  .object({
    ...reportFields,
    variants: z.array(z.object({ model: text.exactOptional(), totals })),
    verdict: verdict.exactOptional(),
    base: text.exactOptional().meta({ description: 'The git ref or report that it is compared with.' }),
  })
  .meta({ id: 'EvalReportSummary' })

/** Schema of the list of reports. */
export const reportListShape: z.ZodType<ReportList> = z
  .object({ reports: z.array(summaryShape) })
  .meta({ id: 'EvalReportList' })

const check = z
  .object({
    name: text,
    passed: z.boolean(),
    gate: z.boolean().meta({ description: 'False if the check does not decide.' }),
    message: text.exactOptional(),
    score: z.number().exactOptional(),
  })
  .meta({ id: 'EvalCheckResult' })
const repeat = z
  .object({
    index: count,
    status: z.enum(['passed', 'failed', 'error']),
    runId: text.exactOptional(),
    outcome: z.enum(OUTCOMES).exactOptional(),
    output: text.exactOptional(),
    checks: z.array(check),
    error: z.object({ code: text, message: text }).exactOptional(),
    usage,
    recorded: z.boolean(),
  })
  .meta({ id: 'EvalRepeat' })
const comparison: z.ZodType<EvalComparison> = z
  .object({
    base: text,
    verdict,
    pValue: z.number(),
    repeatsNeeded: z.number().nullable(),
    baseTotals: totals,
    cases: z.array(z.object({ id: text, verdict, pValue: z.number(), base: totals, current: totals })),
  })
  .meta({ id: 'EvalComparison' })

/** Schema of a report. */
export const storedReportShape: z.ZodType<StoredReport> = z
  .object({
    ...reportFields,
    version: z.literal(1),
    runIds: z.array(text).meta({ description: 'The runs whose events are saved.' }),
    variants: z.array(
      z.object({
        model: text.exactOptional(),
        cases: z.array(
          z
            .object({ id: text, description: text.exactOptional(), repeats: z.array(repeat), totals })
            .meta({ id: 'EvalCaseReport' }),
        ),
        totals,
      }),
    ),
    comparison: comparison.exactOptional(),
    comparisonProblem: text.exactOptional().meta({
      description: 'Why there is no comparison, if a configuration error broke every run of one side.',
    }),
  })
  .meta({ id: 'EvalReport' })
